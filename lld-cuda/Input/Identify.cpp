//===- Identify.cpp - What kind of input a file is ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// identify() tells of each file that has been read whether it is a cubin, a
/// fatbin, PTX, LTO IR, an archive or an object for the host. loadInputs()
/// calls it for the inputs of a link, and prepareInput() for one that a program
/// prepares.
///
/// Who names the file decides how. nvlink's command line goes by the suffix, so
/// a fatbin called a.bin is passed over, with a warning at most [input-suffix];
/// ld.cuda goes by the contents and reports what it can't use; a program says
/// what an input is, and it is an error if that is wrong. Of all formats COFF
/// is looked for last, as few bits make a file look like it.
///
//===----------------------------------------------------------------------===//

#include "Input/Identify.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Magic.h"

using namespace llvm;

namespace lld::cuda {

/// No file that means anything is shorter than this (observed: an empty fatbin
/// of 16 bytes "can't be opened", empty files are passed over).
constexpr size_t MinFileSize = 56;

static Diagnostic tooSmallError(StringRef path, size_t size) {
  Diagnostic d = openError(OpenedFile(), path);
  d.notes.push_back("its " + utostr(size) + " bytes can't be device code");
  return d;
}

bool isElf(StringRef data) { return data.starts_with(ELF::ElfMagic); }

bool isFatbin(StringRef data) {
  return data.size() >= 4 &&
         support::endian::read32le(data.data()) == FatbinMagic;
}

/// NVIDIA's LTO IR in a file of its own [input-lto-ir].
static bool isLtoIR(StringRef data) {
  constexpr uint32_t magic = 0x7f4e43ed;
  return data.size() >= 4 && support::endian::read32le(data.data()) == magic;
}

/// Describes a file that can't be read. Host objects of other systems have
/// device code, too.
static StringRef describeUnknown(StringRef data) {
  if (isCoffObject(data))
    return "it is a COFF object for Windows, which ld.cuda links, but nvlink "
           "doesn't";
  switch (identify_magic(data)) {
  case file_magic::coff_cl_gl_object:
  case file_magic::coff_object:
  case file_magic::coff_import_library:
  case file_magic::pecoff_executable:
    return "it is a COFF file for Windows, whose device code can't be read";
  case file_magic::macho_object:
  case file_magic::macho_executable:
  case file_magic::macho_universal_binary:
    return "it is a Mach-O file, whose device code can't be read";
  case file_magic::bitcode:
    return "it is LLVM bitcode, which ld.cuda links, but nvlink doesn't";
  default:
    return "it is neither an object nor an archive";
  }
}

/// Identifies a file by its contents. The caller decides whether the link can
/// take it.
static std::optional<ContentKind> findContent(StringRef data) {
  if (isCubin(data))
    return ContentKind::Cubin;
  if (isHostObject(data))
    return ContentKind::HostObject;
  if (isFatbin(data))
    return ContentKind::Fatbin;
  if (isPTX(data))
    return ContentKind::PTX;
  if (isBitcode(data))
    return ContentKind::Bitcode;
  if (isOffloadBinary(data))
    return ContentKind::OffloadBinary;
  if (isLtoIR(data))
    return ContentKind::LTOIR;
  if (isCoffObject(data)) // Last: it is known by few bits.
    return ContentKind::HostObject;
  return std::nullopt;
}

namespace {
/// The suffixes that nvlink tells apart.
enum class Suffix {
  Cubin,
  PTX,
  Fatbin,
  LTOIR,
  Bitcode,
  SharedObject,
  Object,
  Other
};
} // namespace

/// Returns the suffix: what follows the last dot, wherever in the path it is.
static Suffix findSuffix(StringRef path) {
  const size_t dot = path.rfind('.');
  return StringSwitch<Suffix>(dot == StringRef::npos ? ""
                                                     : path.drop_front(dot + 1))
      .Case("cubin", Suffix::Cubin)
      .Case("ptx", Suffix::PTX)
      .Case("fatbin", Suffix::Fatbin)
      .Case("nvvm", Suffix::LTOIR)
      .Case("ltoir", Suffix::LTOIR)
      .Case("bc", Suffix::Bitcode)
      .Case("so", Suffix::SharedObject)
      .Case("o", Suffix::Object)
      .Default(Suffix::Other);
}

static Identified ignore(const Config &config, InputFile &file,
                         const Twine &why, bool isLoss = false) {
  addIgnoredWarning(config, file.messages,
                    {diag::file(file.path), " is ignored: ", why.str()},
                    isLoss);
  return {};
}

static Identified identifyBySuffix(const Config &config, InputFile &file) {
  auto fatal = [&](StringRef text, StringRef why) {
    file.messages.push_back(Diagnostic(DiagId::WrongSuffix, {text}));
    file.messages.back().notes.push_back(("'" + file.path + "': " + why).str());
    return Identified();
  };
  const StringRef data = file.buffer->getBuffer();
  if (data.size() < MinFileSize && !isArchive(data)) {
    file.messages.push_back(tooSmallError(file.path, data.size()));
    return {};
  }
  const Suffix suffix = findSuffix(file.path);
  switch (suffix) {
  case Suffix::Cubin:
    if (!isElf(data))
      return fatal("cubin not an elf?", describeUnknown(data));
    if (!isCubin(data))
      return fatal("cubin not a device elf?",
                   "it is a host object; rename it to .o");
    return {false, ContentKind::Cubin};
  case Suffix::PTX:
    return {false, isCubin(data) ? ContentKind::Cubin : ContentKind::PTX};
  case Suffix::Fatbin:
    if (!isFatbin(data))
      return fatal("fatbin wrong format?", "it is not a fatbin");
    return {false, ContentKind::Fatbin};
  case Suffix::LTOIR:
    if (config.lto)
      return {false, ContentKind::LTOIR};
    return fatal("should only see nvvm files when -lto",
                 "LTO IR is linked only with -lto and -nvvmpath=DIR");
  case Suffix::Bitcode:
    return fatal("should never see bc files", describeUnknown(data));
  case Suffix::SharedObject:
  case Suffix::Object:
  case Suffix::Other:
    break;
  }
  if (isArchive(data))
    return {true, {}};
  if (suffix == Suffix::SharedObject)
    return {};
  if (suffix == Suffix::Object && isCubin(data))
    return {false, ContentKind::Cubin};
  if (isHostObject(data))
    return {false, ContentKind::HostObject};
  return ignore(config, file,
                isCubin(data)    ? "a cubin needs the suffix .cubin or .o"
                : isFatbin(data) ? "a fatbin needs the suffix .fatbin"
                : isPTX(data)    ? "PTX needs the suffix .ptx"
                                 : describeUnknown(data),
                /*isLoss=*/true);
}

/// The lld flavour doesn't look at suffixes.
static Identified identifyByContents(const Config &config, InputFile &file) {
  const StringRef data = file.buffer->getBuffer();
  if (isArchive(data))
    return {true, {}};
  const std::optional<ContentKind> content = findContent(data);
  if (content && (content != ContentKind::LTOIR || config.lto))
    return {false, content};
  file.messages.push_back(
      Diagnostic(DiagId::UnknownFormat,
                 {diag::file(file.path), ": ", describeUnknown(data).str()}));
  return {};
}

static constexpr unsigned bit(ContentKind kind) { return 1u << unsigned(kind); }

namespace {
/// The kinds that a program may give an input of the library.
struct KindRow {
  InputKind kind;
  StringLiteral name; ///< As in "it is not a cubin".
  unsigned contents;  ///< A bit for each ContentKind.
};
} // namespace

static constexpr KindRow Kinds[] = {
    {InputKind::Any, "device code",
     bit(ContentKind::Cubin) | bit(ContentKind::HostObject) |
         bit(ContentKind::Fatbin) | bit(ContentKind::PTX) |
         bit(ContentKind::LTOIR)},
    {InputKind::Cubin, "a cubin", bit(ContentKind::Cubin)},
    {InputKind::PTX, "PTX", bit(ContentKind::PTX)},
    {InputKind::LtoIR, "LTO IR", bit(ContentKind::LTOIR)},
    {InputKind::Fatbin, "a fatbin", bit(ContentKind::Fatbin)},
    {InputKind::Object, "an object",
     bit(ContentKind::HostObject) | bit(ContentKind::Cubin)},
    {InputKind::Archive, "an archive", 0}};

Identified identifyData(StringRef data, StringRef name, InputKind kind,
                        bool takesLto, std::vector<Diagnostic> &messages) {
  auto refuse = [&](DiagId id, const Twine &why) {
    messages.push_back(Diagnostic(id, {diag::file(name), ": ", why.str()}));
    return Identified();
  };
  const KindRow &row = Kinds[size_t(kind)];
  assert(row.kind == kind && "rows stand as InputKind has them");
  if (data.empty())
    return refuse(DiagId::UnknownFormat, "it is empty");
  if (isArchive(data) && (kind == InputKind::Any || kind == InputKind::Archive))
    return {true, {}};
  std::optional<ContentKind> content = findContent(data);
  if (content == ContentKind::HostObject && !isHostObject(data))
    content = std::nullopt; // For Windows.
  if (!content || !(row.contents & bit(*content)))
    return refuse(DiagId::UnknownFormat, "it is not " + row.name);
  if (content == ContentKind::LTOIR && !takesLto)
    return refuse(DiagId::LtoNotEnabled,
                  "LTO IR can be linked only with LTO enabled");
  return {false, content};
}

Identified identify(const Config &config, InputFile &file,
                    const LinkInput *input) {
  if (!file.buffer)
    return {}; // There is a message.
  if (input && !config.isCommandLine)
    return identifyData(file.buffer->getBuffer(), file.path, input->kind,
                        config.lto, file.messages);
  const StringRef data = file.buffer->getBuffer();
  if (data.empty())
    return ignore(config, file, "the file is empty", /*isLoss=*/true);
  if (!input && !file.isDeviceLibrary)
    return isArchive(data) ? Identified{true, {}}
                           : ignore(config, file, "it is not an archive");
  return config.isLld() ? identifyByContents(config, file)
                        : identifyBySuffix(config, file);
}

} // namespace lld::cuda
