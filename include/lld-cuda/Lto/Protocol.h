//===- Protocol.h - The job file of lld-cuda-lto ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The indentation below says what belongs to what.
// clang-format off
///
/// \file
/// The protocol between the linker and lld-cuda-lto, the program that compiles
/// LTO inputs: the job file that the linker writes (lld-cuda/Lto), and the exit
/// statuses and symbol flags with which lld-cuda-lto answers. The linker is
/// static and small; what generates code or loads a library at run time is in
/// lld-cuda-lto, which the linker starts as `lld-cuda-lto JOB` only when an
/// input of a link needs it.
///
/// JOB is a file of words, each ended by a NUL, so that a word can be any path
/// or symbol name. The first word is the command. The others form records: a
/// key, and the number of words that belongs to the key.
///
/// The contents of inputs are in the file `data`, one after the other; `input`
/// records give their offsets and sizes in bytes.
///
/// \verbatim
///   nvjitlink                      LTO IR to PTX by NVIDIA's library.
///     library PATH                 a candidate; the first that exists is used
///     loaded PATH                  file for the path of the one used
///     option TEXT                  of nvJitLinkCreate()
///     data PATH
///     input KIND OFFSET SIZE NAME  KIND: object, fatbin, ltoir
///     output PATH                  file for the PTX
///
///   symbols                        What bitcode defines and refers to.
///     data PATH
///     input bitcode OFFSET SIZE NAME
///     output PATH                  words: for each input the number of
///                                  symbols, then each one's name and flags
///
///   llvm                           Bitcode to PTX by LLVM.
///     data PATH
///     input bitcode OFFSET SIZE NAME
///     resolution FLAGS             one for each symbol of the input before it
///     set KEY VALUE                see LlvmLto.cpp
///     output PREFIX                PTX files are PREFIX0, PREFIX1, ...
/// \endverbatim
///
/// The compiler's messages are printed to standard output; errors of the
/// program itself, to standard error.
///
// clang-format on
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LTO_PROTOCOL_H
#define LLD_CUDA_LTO_PROTOCOL_H

namespace lld::cuda::lto {

/// The exit status of lld-cuda-lto, which the linker reads.
enum Status {
  Done = 0,
  CompileFailed = 1, ///< An input has errors; messages say which.
  LibraryMissing = 2,
  BadJob = 3,   ///< The linker and lld-cuda-lto don't match.
  NotBuilt = 4, ///< This lld-cuda-lto was built without LLVM's LTO.
};

/// The flags of a symbol in the output of `symbols`: a string of these
/// characters.
namespace symbol {
constexpr char Undefined = 'U', Weak = 'W', Common = 'C', Hidden = 'H',
               Executable = 'X', Used = 'R', FormatSpecific = 'F', Kernel = 'K',
               LinkOnceODR = 'O';
} // namespace symbol

/// The flags of a symbol in `resolution` records: a string of these characters.
namespace resolution {
constexpr char Prevailing = 'P', VisibleOutside = 'V', Exported = 'E',
               Final = 'F';
} // namespace resolution

} // namespace lld::cuda::lto

#endif
