//===- ExplainDefinitions.cpp - Two files that contradict each other ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two objects may disagree about a name. The merge of functions and variables
/// reports the error and calls these functions right after it. They say where
/// each object defines the name, and compare the bytes of the two definitions,
/// since what helps depends on that: the same bytes twice are mostly a
/// definition in a header that lacks inline, and two equal files are one object
/// that was given twice. Where only sizes, memory spaces or prototypes differ,
/// both sides are described in words.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Explain/SourcePlaces.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Program.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

StringRef describeMemorySpace(uint8_t type, uint8_t other) {
  if (type == STT_FUNC)
    return "a function";
  if (type == STT_CUDA_TEXTURE)
    return "a texture";
  if (type == STT_CUDA_SAMPLER)
    return "a sampler";
  if (type == STT_CUDA_SURFACE)
    return "a surface";
  switch (other & STO_CUDA_SPACE_MASK) {
  case STO_CUDA_SHARED:
    return "shared memory";
  case STO_CUDA_CONSTANT:
    return "constant memory";
  case STO_CUDA_GLOBAL:
    return "global memory";
  default:
    return "another kind of memory";
  }
}

StringRef describeMemorySpace(const Symbol &s) {
  return describeMemorySpace(s.isFunction() ? uint8_t(STT_FUNC) : s.type,
                             s.other);
}

/// The bytes of a definition that is merged; nothing without any.
static std::optional<ArrayRef<uint8_t>> bytesOf(const Symbol &s) {
  if (!s.section || s.section->isNoBits())
    return std::nullopt;
  for (const SectionPart &part : s.section->parts) {
    if (s.value < part.offset)
      continue;
    const uint64_t offset = s.value - part.offset, size = part.bytes.size();
    if (offset <= size && s.size <= size - offset)
      return part.bytes.slice(offset, s.size);
  }
  return std::nullopt;
}

static std::optional<ArrayRef<uint8_t>> bytesOf(const ObjectFile &obj,
                                                unsigned index) {
  const Elf_Sym &sym = obj.inputSymbol(index);
  uint32_t section = obj.file.sectionIndex(index);
  if (section >= obj.file.sections().size())
    return std::nullopt;
  ArrayRef<uint8_t> bytes = obj.file.contents(section);
  if (sym.st_value > bytes.size() || sym.st_size > bytes.size() - sym.st_value)
    return std::nullopt;
  return bytes.slice(sym.st_value, sym.st_size);
}

void explainMultipleDefinition(const Inputs &inputs, Program &program,
                               const Symbol &existing, const ObjectFile &obj,
                               unsigned index) {
  if (!inputs.diag.explains())
    return;
  auto explainPlace = [&](const ObjectFile &file, uint64_t size) {
    auto place = SourcePlaces::of(inputs, program).symbol(file, existing.name);
    inputs.diag.explain("defined in '" + file.label + "' (" + Twine(size) +
                            " bytes" + describePlace(", ", place) + ")",
                        orNull(place));
  };
  const uint64_t size = obj.inputSymbol(index).st_size;
  if (program.objects[existing.definedIn].label == obj.label)
    return inputs.diag.explain("'" + obj.label + "' is given more than once");
  explainPlace(program.objects[existing.definedIn], existing.size);
  explainPlace(obj, size);
  // Whoever gives an object and the library that has it means it once.
  auto fileOf = [](StringRef label) {
    return label.drop_front(label.find_last_of(":/") + 1);
  };
  const StringRef other = program.objects[existing.definedIn].label;
  if (fileOf(other) == fileOf(obj.label) &&
      program.objects[existing.definedIn].file.buffer().getBuffer() ==
          obj.file.buffer().getBuffer())
    return inputs.diag.explain("both are the same object; leave out '" + other +
                               "' or '" + obj.label + "' out");
  auto first = bytesOf(existing), second = bytesOf(obj, index);
  const bool same = first && second && *first == *second;
  if (existing.isFunction())
    inputs.diag.explain(
        same ? "the code is the same; a function that is defined "
               "in a header has to be inline or static"
             : "the code differs");
  else if (!first && !second)
    inputs.diag.explain("both are zero; a variable that is defined in a header "
                        "has to be inline or static");
  else
    inputs.diag.explain(same ? "the contents are the same; a variable that is "
                               "defined in a header has to be inline or static"
                             : "the contents differ");
}

/// A letter and a number for each value: [prototypes].
std::string describePrototype(StringRef prototype) {
  std::string text;
  raw_string_ostream os(text);
  StringRef codes = prototype.split('|').first;
  codes.consume_front("#");
  for (unsigned i = 0; !codes.empty(); ++i) {
    char code = codes.front();
    codes = codes.drop_front();
    os << (i == 0 ? "" : i == 1 ? " (" : ", ");
    uint64_t size;
    switch (code) {
    case 'v':
      os << (i ? "" : "void");
      break;
    case 'i':
      os << "32-bit value";
      break;
    case 'l':
      os << "64-bit value";
      break;
    case 'f':
      os << "float";
      break;
    case 'd':
      os << "double";
      break;
    case 'x':
      os << "128-bit value";
      break;
    case 'b':
      if (!codes.consumeInteger(10, size)) {
        os << "struct of " << size << " bytes";
        break;
      }
      [[fallthrough]];
    default:
      return ("prototype '" + prototype + "'").str();
    }
  }
  os << ")";
  return text;
}

void explainWeakMismatch(const Inputs &inputs, StringRef name) {
  // Names that compilers make from those of functions: "F$variable", "F$2".
  auto [owner, suffix] = name.split('$');
  if (!owner.empty() && all_of(suffix, isDigit) && !suffix.empty()) {
    inputs.diag.explain(
        "the compiler numbers the constants of " + inputs.diag.display(owner) +
        "; the numbers depend on what a file includes, so this name may stand "
        "for different constants in the two files");
    inputs.diag.explain(
        "include the same headers in the same order in both files, or avoid "
        "the initializer that needs the constant");
    return;
  }
  if (!suffix.empty() && !owner.empty())
    inputs.diag.explain("'" + suffix + "' is a variable in " +
                        inputs.diag.display(owner));
  inputs.diag.explain(
      "each file has its own copy of an inline variable or of a variable in a "
      "template or inline function, and all copies must have the same size: "
      "look for macros that differ between the files, or for two different "
      "definitions of this name");
}

void explainMismatch(const Inputs &inputs, Program &program, StringRef name,
                     unsigned first, const Twine &firstHas,
                     const ObjectFile &obj, const Twine &objHas) {
  if (!inputs.diag.explains())
    return;
  auto explain = [&](const ObjectFile &file, const Twine &has) {
    auto place = SourcePlaces::of(inputs, program).symbol(file, name);
    inputs.diag.explain("'" + file.label + "': " + has +
                            describePlace(" (", place, ")"),
                        orNull(place));
  };
  explain(program.objects[first], firstHas);
  explain(obj, objHas);
}

} // namespace lld::cuda
