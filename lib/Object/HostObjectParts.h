//===- HostObjectParts.h - Parts of a host object ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of a host object (rule [host-object] of docs/reference), the
/// object file that a device link makes for the host linker: it holds the
/// linked image and the machine code that registers it with the CUDA runtime.
/// HostObjectWriter.cpp collects the parts at the end of a device link, with
/// machine code from HostStubs.cpp, and HostObjectElf.cpp or HostObjectCoff.cpp
/// writes them as a file.
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

/// The symbols that the machine code of host-stub.c refers to.
enum class StubSymbol : uint8_t {
  State,
  Wrapper, ///< Belongs to the object that a function is for.
  Unregister,
  RegisterOne,
  AtExit,
  Register,
  RegisterEnd,
  UnregisterFatBinary,
  Label ///< The addend is an offset in the same function.
};

/// A relocation in the machine code of host-stub.c.
struct StubRelocation {
  uint32_t offset, type;
  StubSymbol symbol;
  int32_t addend; ///< 0 in COFF, which has it in the code.
};

/// A function of host-stub.c: its code, relocations and call frame.
struct StubPiece {
  llvm::ArrayRef<uint8_t> code;
  llvm::ArrayRef<StubRelocation> relocations;
  /// ELF: instructions of its FDE. COFF: its record in .xdata; none if the
  /// function touches neither stack nor callee-saved registers.
  llvm::ArrayRef<uint8_t> frame;
};

enum { UnregisterPiece, RegisterOnePiece, RegisterObjectPiece, NumPieces };

/// host-stub.c, compiled for one host. A static object (HostStubs.inc).
struct HostStub {
  uint16_t machine; ///< EM_* or IMAGE_FILE_MACHINE_*
  uint32_t flags;   ///< e_flags
  /// Relocation types: of a pointer, and of the 32 bits by which call frames
  /// refer to functions.
  uint32_t absolute, frame;
  llvm::ArrayRef<uint8_t> cie; ///< ELF only.
  std::array<StubPiece, NumPieces> pieces;
};

/// Sections that host objects of all formats have. Each format adds its own.
enum class HostSection : uint8_t {
  Text,
  Data,
  Bss,
  Image,
  Segment,
  ModuleIds,
};
constexpr size_t NumHostSections = 6;

/// A relocation of the host object.
struct HostRelocation {
  uint64_t offset;
  uint32_t symbol; ///< Index in `symbols`.
  uint32_t type;
  int64_t addend; ///< Always 0 in COFF.
};

/// A symbol of the host object.
struct HostSymbol {
  enum Kind : uint8_t { Label, Object, Function };

  std::string name;
  Kind kind;
  bool isLocal;
  std::optional<HostSection> section; ///< nullopt if undefined.
  uint64_t value, size;
};

/// The call frame of a function of the host object.
struct HostFrame {
  uint32_t function; ///< Index in `symbols`.
  llvm::ArrayRef<uint8_t> frame;
};

/// All parts of a host object. `stub` and `image` must outlive it.
struct HostObjectParts {
  explicit HostObjectParts(const HostStub &stub) : stub(stub) {}

  Bytes &bytes(HostSection section) { return contents[size_t(section)]; }
  /// Returns a section's bytes. Bss has only a size.
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
  std::vector<HostFrame> frames; ///< In the order of their functions.
};

/// Appends a number in little-endian byte order.
template <typename T> void append(Bytes &out, T value) {
  char bytes[sizeof(T)];
  llvm::support::endian::write<T, llvm::endianness::little>(bytes, value);
  out.append(std::begin(bytes), std::end(bytes));
}

/// A section of a layer (rule [layer-object]): an object with device code for a
/// later device link, which host linkers leave out.
struct LayerPart {
  llvm::StringRef name, contents;
};

/// Returns the machine code for a host, or null if there is none.
const HostStub *getHostStub(const llvm::Triple &host);

Bytes writeElfObject(const HostObjectParts &parts);
Bytes writeElfLayer(const HostStub &stub, llvm::ArrayRef<LayerPart> parts);

/// Writes a COFF file. Fails if it would have 4 GiB or more, as does the next.
llvm::Expected<Bytes> writeCoffObject(const HostObjectParts &parts);
llvm::Expected<Bytes> writeCoffLayer(const HostStub &stub,
                                     llvm::ArrayRef<LayerPart> parts);

} // namespace lld::cuda

#endif
