//===- Architectures.cpp - Facts about SM architectures (sm_90a) ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Answers questions about GPU architectures from the table Architectures.def.
/// The linker's drivers and the program in fatbinary's place parse names such
/// as "sm_90a" with parseArchitecture() when they read a command line. While it
/// reads inputs, the linker asks isLinkCompatible() whether a cubin for one
/// architecture may be linked into an image for another; layout passes, reports
/// and cubin-check ask getArchitectureLimits() for the sizes of memories. Only
/// the suffixes that the table lists are accepted, so "80a" is no architecture,
/// and a pair may be compatible for some releases of the toolkit only.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/Architectures.h"

using namespace llvm;

namespace lld::cuda::elf {

/// No toolkit has that number.
static constexpr unsigned Never = ~0u;

/// The suffixes of an architecture: a value of Architecture::Suffix, of which
/// Family stands for both (see Architectures.def). Nothing if the number is not
/// in the table.
static std::optional<Architecture::Suffix> getSuffixes(unsigned number) {
  switch (number) {
#define CUDA_ARCH(NUMBER, SUFFIX, ...)                                         \
  case NUMBER:                                                                 \
    return Architecture::SUFFIX;
#include "lld-cuda/BinaryFormat/Architectures.def"
  }
  return std::nullopt;
}

std::optional<Architecture> parseArchitecture(StringRef name) {
  Architecture arch;
  if (name.consume_back("a"))
    arch.suffix = Architecture::Accelerated;
  else if (name.consume_back("f"))
    arch.suffix = Architecture::Family;
  // "090" and "+90" are not names of architectures.
  if (name.empty() || name.front() < '1' || name.front() > '9' ||
      name.getAsInteger(10, arch.number))
    return std::nullopt;

  std::optional<Architecture::Suffix> suffixes = getSuffixes(arch.number);
  if (!suffixes)
    return std::nullopt;
  if (arch.suffix == Architecture::Accelerated &&
      *suffixes == Architecture::None)
    return std::nullopt;
  if (arch.suffix == Architecture::Family && *suffixes != Architecture::Family)
    return std::nullopt;
  return arch;
}

const ArchitectureLimits *getArchitectureLimits(unsigned number) {
  switch (number) {
#define CUDA_ARCH(NUMBER, SUFFIX, SHARED, EXTENDED, SHARED_12, CONSTANT0,      \
                  RESERVED, FASTPATH, SINCE, UNTIL)                            \
  case NUMBER: {                                                               \
    static constexpr ArchitectureLimits limits = {                             \
        SHARED,   EXTENDED, SHARED_12, CONSTANT0,                              \
        RESERVED, FASTPATH, SINCE,     UNTIL};                                 \
    return &limits;                                                            \
  }
#include "lld-cuda/BinaryFormat/Architectures.def"
  }
  return nullptr;
}

bool isLinkCompatible(Architecture object, Architecture target,
                      unsigned toolkit) {
  if (object.number == target.number)
    return true;
  [[maybe_unused]] bool accelerated =
      object.suffix == Architecture::Accelerated;
#define CUDA_ARCH_COMPATIBLE(OBJECT, TARGET, ACCELERATED, SINCE, UNTIL)        \
  if (object.number == OBJECT && target.number == TARGET)                      \
    return toolkit >= SINCE && toolkit < UNTIL && (ACCELERATED || !accelerated);
#include "lld-cuda/BinaryFormat/Architectures.def"
  return false;
}

} // namespace lld::cuda::elf
