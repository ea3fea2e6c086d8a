//===- Protocol.h - Between the linker and lld-cuda-lto ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The indentation below says what belongs to what.
// clang-format off
///
/// \file
/// The linker is static and small; what generates code or loads a library at
/// run time is in a program of its own, lld-cuda-lto, which the linker starts
/// only when an input needs it, as `lld-cuda-lto JOB`.
///
/// JOB is a file of words, each ended by a NUL, so that any path and any symbol
/// name is a word. The first is the command. The others come in records: a key
/// and the number of words that belongs to it.
///
/// Inputs lie one after the other in the file `data`; `input` records give
/// their offsets and sizes there.
///
/// \verbatim
///   nvjitlink                      LTO IR to PTX by NVIDIA's library.
///     library PATH                 a candidate; the first that is there is used
///     loaded PATH                  where the used one's path goes
///     option TEXT                  of nvJitLinkCreate()
///     data PATH
///     input KIND OFFSET SIZE NAME  KIND: object, fatbin, ltoir
///     output PATH                  where the PTX goes
///
///   symbols                        What bitcode defines and refers to.
///     data PATH
///     input bitcode OFFSET SIZE NAME
///     output PATH                  words again: for each input the number of
///                                  symbols, then each one's name and flags
///
///   llvm                           Bitcode to PTX by LLVM.
///     data PATH
///     input bitcode OFFSET SIZE NAME
///     resolution FLAGS             one for each symbol of the input before it
///     set KEY VALUE                see LlvmLto.cpp
///     output PREFIX                PTX goes to PREFIX0, PREFIX1, ...
/// \endverbatim
///
/// The compiler's messages go to standard output, reasons why the program
/// itself cannot work to standard error.
///
// clang-format on
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LTO_PROTOCOL_H
#define LLD_CUDA_LTO_PROTOCOL_H

namespace lld::cuda::lto {

/// How lld-cuda-lto ends: its exit status, which the linker reads.
enum Status {
  Done = 0,
  CompileFailed = 1, ///< The input's fault; messages tell.
  LibraryMissing = 2,
  BadJob = 3,   ///< Linker and helper don't fit together.
  NotBuilt = 4, ///< This lld-cuda-lto was built without LLVM's LTO.
};

/// Flags of a symbol that `symbols` tells, a string of these characters.
namespace symbol {
constexpr char Undefined = 'U', Weak = 'W', Common = 'C', Hidden = 'H',
               Executable = 'X', Used = 'R', FormatSpecific = 'F', Kernel = 'K',
               LinkOnceODR = 'O';
} // namespace symbol

/// What the linker tells LTO of a symbol, as bits of one number.
namespace resolution {
constexpr char Prevailing = 'P', VisibleOutside = 'V', Exported = 'E',
               Final = 'F';
} // namespace resolution

} // namespace lld::cuda::lto

#endif
