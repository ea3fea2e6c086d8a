//===- LlvmSymbols.cpp - Lists the symbols of bitcode ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells the linker what bitcode modules define and refer to. main() of
/// lld-cuda-lto calls listSymbols() for a job of kind "symbols", which the
/// linker (Lto/LtoLlvm.cpp) starts while it loads inputs with bitcode: symbols
/// of bitcode help to decide which members of archives are linked, and are
/// resolved in one table with those of cubins. Symbols are listed in the order
/// in which lto::LTO wants their resolutions, which the job of kind "llvm" then
/// gives it (LlvmLto.cpp).
///
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "lld-cuda/Lto/Protocol.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace lld::cuda::lto {

static void addWord(std::string &words, const Twine &word) {
  words += word.str();
  words += '\0';
}

/// Kernels are marked by their calling convention or, by older compilers, in
/// metadata.
static void addAnnotatedKernels(const Module &module, StringSet<> &names) {
  const NamedMDNode *list = module.getNamedMetadata("nvvm.annotations");
  if (!list)
    return;
  for (const MDNode *node : list->operands()) {
    if (node->getNumOperands() < 3)
      continue;
    auto *function =
        mdconst::dyn_extract_or_null<GlobalValue>(node->getOperand(0));
    for (unsigned i = 1; function && i + 1 < node->getNumOperands(); i += 2) {
      auto *key = dyn_cast_or_null<MDString>(node->getOperand(i).get());
      if (key && key->getString() == "kernel")
        names.insert(function->getName());
    }
  }
}

static Error collectKernels(MemoryBufferRef buffer, StringSet<> &names) {
  LLVMContext context;
  Expected<std::vector<BitcodeModule>> modules = getBitcodeModuleList(buffer);
  if (!modules)
    return modules.takeError();
  for (BitcodeModule &bitcode : *modules) {
    auto module = bitcode.getLazyModule(context,
                                        /*ShouldLazyLoadMetadata=*/false,
                                        /*IsImporting=*/false);
    if (!module)
      return module.takeError();
    for (const Function &function : **module)
      if (function.getCallingConv() == CallingConv::PTX_Kernel)
        names.insert(function.getName());
    addAnnotatedKernels(**module, names);
  }
  return Error::success();
}

static std::string flagsOf(const llvm::lto::InputFile::Symbol &s,
                           const StringSet<> &kernels) {
  std::string flags;
  if (s.isUndefined())
    flags += symbol::Undefined;
  if (s.isWeak())
    flags += symbol::Weak;
  if (s.isCommon())
    flags += symbol::Common;
  if (s.getVisibility() == GlobalValue::HiddenVisibility)
    flags += symbol::Hidden;
  if (s.isExecutable())
    flags += symbol::Executable;
  if (s.isUsed())
    flags += symbol::Used;
  if (s.getIRName().empty())
    flags += symbol::FormatSpecific;
  if (kernels.contains(s.getIRName()))
    flags += symbol::Kernel;
  return flags;
}

/// LLVM reads what it and older ones wrote. Of what is newer it may miss what
/// it doesn't know, so that isn't tried. Bitcode that doesn't tell is left to
/// the reader.
static Error checkProducer(MemoryBufferRef buffer) {
  Expected<std::string> producer = getBitcodeProducerString(buffer);
  if (!producer) {
    consumeError(producer.takeError());
    return Error::success();
  }
  // LLVM22.1.8, LLVM20.1.8-rust-1.90.0-stable
  StringRef version = *producer;
  if (!version.consume_front("LLVM"))
    return Error::success();
  const StringRef shown = version;
  unsigned major;
  if (version.consumeInteger(10, major) || major <= LLVM_VERSION_MAJOR)
    return Error::success();
  return createStringError(
      "it is bitcode of LLVM " + shown +
      ", but lld-cuda-lto is built with LLVM " + LLVM_VERSION_STRING +
      "; use one that is built with LLVM " + Twine(major) + " or newer");
}

static Error listInput(const JobInput &input, std::string &words) {
  MemoryBufferRef buffer(input.data, input.name);
  if (Error e = checkProducer(buffer))
    return e;
  auto file = llvm::lto::InputFile::create(buffer);
  if (!file)
    return file.takeError();
  Triple triple((*file)->getTargetTriple());
  if (!triple.isNVPTX())
    return createStringError("it is for '" + triple.str() +
                             "', not for NVIDIA's GPUs");
  StringSet<> kernels;
  if (Error e = collectKernels(buffer, kernels))
    return e;
  addWord(words, utostr((*file)->symbols().size()));
  for (const llvm::lto::InputFile::Symbol &s : (*file)->symbols()) {
    addWord(words, s.getName());
    addWord(words, flagsOf(s, kernels));
  }
  return Error::success();
}

void initializeTarget() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

int listSymbols(const Job &job) {
  initializeTarget();
  std::string words;
  bool ok = true;
  for (const JobInput &input : job.inputs)
    if (Error e = listInput(input, words)) {
      outs() << input.name << ": " << toString(std::move(e)) << '\n';
      ok = false;
    }
  if (!ok)
    return CompileFailed;
  if (Error e = writeAnswer(job.output, words)) {
    errs() << toString(std::move(e)) << '\n';
    return BadJob;
  }
  return Done;
}

} // namespace lld::cuda::lto
