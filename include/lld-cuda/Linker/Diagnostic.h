//===- Diagnostic.h - One message of a link ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A message of the linker (error, warning, remark): its id, its severity, its
/// text, and which parts of the text name a symbol, a file or a section. The
/// linker's passes make one whenever they report something, and give it to
/// Diagnostics (lld-cuda/Messages), which prints it in the chosen format; users
/// of the library get all messages of a link in LinkResult (Linker.h), and
/// needn't parse texts.
///
/// A message is put together from parts. A part is text or a number, or names
/// something:
///
///   Diagnostic(DiagId::MultipleDefinition,
///              {"Multiple definition of ", diag::symbol(name), " in ",
///               diag::file(path)})
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKER_DIAGNOSTIC_H
#define LLD_CUDA_LINKER_DIAGNOSTIC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace lld::cuda {

/// Verbatim: a message of another program, printed unchanged. Remark: a warning
/// that nvlink doesn't have. Closing: the final message after a fatal error,
/// which only says that an error was fatal.
enum class Severity : uint8_t {
  Verbatim,
  Info,
  Warning,
  Remark,
  Error,
  Fatal,
  Closing
};

/// The kinds of messages, one for each row of Diagnostics.def.
enum class DiagId : uint8_t {
#define DIAGNOSTIC(ID, NAME, SEVERITY) ID,
#include "lld-cuda/Linker/Diagnostics.def"
  Count
};

/// Returns the name of the message for users, e.g. "multiple-definition".
llvm::StringRef getName(DiagId id);
Severity getDefaultSeverity(DiagId id);

/// What a part of a message names.
enum class Mention : uint8_t { Nothing, Symbol, File, Section, Offset };

/// A part of a message while it is put together. Texts aren't copied: they must
/// live until the Diagnostic is constructed.
class MessagePart {
public:
  enum class Style : uint8_t { Plain, Quoted, Decimal, Hex };

  template <typename T, typename = std::enable_if_t<
                            std::is_convertible_v<const T &, llvm::StringRef>>>
  MessagePart(const T &text) : MessagePart(Mention::Nothing, text) {}
  MessagePart(uint64_t number)
      : MessagePart(Mention::Nothing, number, Style::Decimal) {}
  MessagePart(Mention kind, llvm::StringRef text, Style style = Style::Plain)
      : kind(kind), style(style), text(text) {}
  MessagePart(Mention kind, uint64_t number, Style style)
      : kind(kind), style(style), number(number) {}

  /// Returns this part without quotes around it.
  MessagePart bare() const { return {kind, text, Style::Plain}; }

private:
  friend class Diagnostic;
  Mention kind;
  Style style;
  llvm::StringRef text;
  uint64_t number = 0;
};

using MessageParts = std::initializer_list<MessagePart>;

/// Make a part that names something, in single quotes, or a part that is a
/// number.
namespace diag {
inline MessagePart symbol(llvm::StringRef name) {
  return {Mention::Symbol, name, MessagePart::Style::Quoted};
}
/// Makes a part that names an input file: a path, or ARCHIVE:MEMBER.
inline MessagePart file(llvm::StringRef label) {
  return {Mention::File, label, MessagePart::Style::Quoted};
}
inline MessagePart section(llvm::StringRef name) {
  return {Mention::Section, name, MessagePart::Style::Quoted};
}
/// Makes a part that is an offset in a section or a file, e.g. 0x1c.
inline MessagePart offset(uint64_t offset) {
  return {Mention::Offset, offset, MessagePart::Style::Hex};
}
/// Makes a part that is an option, a value or another word, in quotes.
inline MessagePart quoted(llvm::StringRef text) {
  return {Mention::Nothing, text, MessagePart::Style::Quoted};
}
inline MessagePart hex(uint64_t number) {
  return {Mention::Nothing, number, MessagePart::Style::Hex};
}
} // namespace diag

/// A source line that a note of a message names.
struct SourceLocation {
  std::string file; ///< As the compiler named it.
  uint64_t line;    ///< From 1 on.
  uint32_t note;    ///< Index in Diagnostic::notes.
};

/// A message. Owns its texts.
class Diagnostic {
public:
  Diagnostic(DiagId id, MessageParts parts)
      : Diagnostic(id, getDefaultSeverity(id), parts) {}
  Diagnostic(DiagId id, Severity severity, MessageParts parts);

  DiagId id;
  /// The severity as reported, after -Werror has turned warnings into errors.
  Severity severity;
  /// The text as nvlink words it, without "nvlink error : ".
  std::string text;
  /// Explanations, which are lines below the message.
  std::vector<std::string> notes;
  /// The source lines that the notes name, in the notes' order.
  std::vector<SourceLocation> locations;

  /// Returns all names of this kind in the text, in order. They are slices of
  /// `text`.
  llvm::SmallVector<llvm::StringRef, 2> getAll(Mention kind) const;
  llvm::SmallVector<llvm::StringRef, 2> getSymbols() const {
    return getAll(Mention::Symbol);
  }
  /// Returns the first name of this kind; empty if there is none.
  llvm::StringRef getFirst(Mention kind) const;
  llvm::StringRef getFile() const { return getFirst(Mention::File); }
  llvm::StringRef getSection() const { return getFirst(Mention::Section); }
  llvm::StringRef getOffset() const { return getFirst(Mention::Offset); }

  /// The range of a name in `text`.
  struct Range {
    Mention kind;
    uint32_t begin, end;
  };
  llvm::ArrayRef<Range> getMentions() const { return mentions; }

private:
  void add(const MessagePart &part);

  llvm::SmallVector<Range, 2> mentions;
};

} // namespace lld::cuda

#endif
