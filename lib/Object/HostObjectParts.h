//===- HostObjectParts.h - What host objects of all formats have *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of an object for a host program [host-object], before they become
/// an ELF or a COFF file, and the machine code that they are made of.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_OBJECT_HOSTOBJECTPARTS_H
#define LLD_CUDA_LIB_OBJECT_HOSTOBJECTPARTS_H

#include "lld-cuda/Support/Bytes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// What machine code of host-stub.c refers to.
enum class StubSymbol : uint8_t {
  State,
  Wrapper, ///< For the object that a function is for.
  Unregister,
  RegisterOne,
  AtExit,
  Register,
  RegisterEnd,
  UnregisterFatBinary,
  Label ///< The addend is a place in the same function.
};

struct StubRelocation {
  uint32_t offset, type;
  StubSymbol symbol;
  int32_t addend; ///< 0 in COFF, where it stands in the code.
};

struct StubPiece {
  llvm::ArrayRef<uint8_t> code;
  llvm::ArrayRef<StubRelocation> relocations;
  /// ELF: instructions of its FDE. COFF: its record in .xdata; none if the
  /// function touches neither stack nor callee-saved registers.
  llvm::ArrayRef<uint8_t> frame;
};

enum { UnregisterPiece, RegisterOnePiece, RegisterObjectPiece, NumPieces };

/// host-stub.c, compiled for one host.
struct HostStub {
  uint16_t machine; ///< EM_* or IMAGE_FILE_MACHINE_*
  uint32_t flags;   ///< e_flags
  /// Relocations: of a pointer; of 32 bits by which call frames name functions.
  uint32_t absolute, frame;
  llvm::ArrayRef<uint8_t> cie; ///< ELF only.
  std::array<StubPiece, NumPieces> pieces;
};

/// Sections that objects of all formats have. Each format adds its own.
enum class HostSection : uint8_t {
  Text,
  Data,
  Bss,
  Image,
  Segment,
  ModuleIds,
};
constexpr size_t NumHostSections = 6;

struct HostRelocation {
  uint64_t offset;
  uint32_t symbol; ///< Index in `symbols`.
  uint32_t type;
  int64_t addend; ///< Always 0 in COFF.
};

struct HostSymbol {
  enum Kind : uint8_t { Label, Object, Function };

  std::string name;
  Kind kind;
  bool isLocal;
  std::optional<HostSection> section; ///< None: undefined.
  uint64_t value, size;
};

/// The call frame of a function of the host object.
struct HostFrame {
  uint32_t function; ///< Index in `symbols`.
  llvm::ArrayRef<uint8_t> frame;
};

struct HostObjectParts {
  explicit HostObjectParts(const HostStub &stub) : stub(stub) {}

  Bytes &bytes(HostSection section) { return contents[size_t(section)]; }
  /// A section's bytes. Bss has none, only a size.
  llvm::StringRef getContents(HostSection section) const {
    if (section == HostSection::Image)
      return image;
    const Bytes &bytes = contents[size_t(section)];
    return {bytes.data(), bytes.size()};
  }

  const HostStub &stub;
  llvm::StringRef image;
  uint64_t bssSize = 0;
  std::array<Bytes, NumHostSections> contents;
  std::array<std::vector<HostRelocation>, NumHostSections> relocations;
  std::vector<HostSymbol> symbols;
  std::vector<HostFrame> frames; ///< In order of their functions.
};

template <typename T> void append(Bytes &out, T value) {
  char bytes[sizeof(T)];
  llvm::support::endian::write<T, llvm::endianness::little>(bytes, value);
  out.append(std::begin(bytes), std::end(bytes));
}

/// A section of a layer, which host linkers leave out [layer-object].
struct LayerPart {
  llvm::StringRef name, contents;
};

/// None if there is no code for the host.
const HostStub *getHostStub(const llvm::Triple &host);

Bytes writeElfObject(const HostObjectParts &parts);
Bytes writeElfLayer(const HostStub &stub, llvm::ArrayRef<LayerPart> parts);

/// Both fail if the file would have 4 GiB or more.
llvm::Expected<Bytes> writeCoffObject(const HostObjectParts &parts);
llvm::Expected<Bytes> writeCoffLayer(const HostStub &stub,
                                     llvm::ArrayRef<LayerPart> parts);

} // namespace lld::cuda

#endif
