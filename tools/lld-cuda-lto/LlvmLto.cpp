//===- LlvmLto.cpp - Compiles bitcode to PTX with LLVM --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs LLVM's link-time optimizer on the bitcode of a link, with the linker's
/// resolutions of symbols. main() of lld-cuda-lto calls runLlvmLto() for a job
/// of kind "llvm", which the linker (Lto/LtoLlvm.cpp) starts when all inputs of
/// a link with bitcode are loaded, before it merges them. The result is PTX,
/// which ptxas compiles next: regular LTO gives one text, or as many as there
/// are partitions; ThinLTO one for each module.
///
/// Settings: cpu (an older one is taken where LLVM doesn't know it), features,
/// O (0 to 3), partitions, threads, emit (asm, llvm; nothing: asm), save-temps
/// (prefix), mllvm (an option of LLVM's; repeated).
///
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "lld-cuda/Lto/Protocol.h"
#include "lld-cuda/Support/LlvmCompat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/LTO/Config.h"
#include "llvm/LTO/LTO.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <atomic>
#include <list>
#include <mutex>
#include LLD_CUDA_PASS_PLUGIN_H

using namespace llvm;

/// LLVM's pass builder asks for Polly, which isn't linked.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "none", [](PassBuilder &) {}};
}

namespace lld::cuda::lto {

void initializeTarget();

constexpr const char *TargetTriple = "nvptx64-nvidia-cuda";

namespace {

class Optimizer {
public:
  explicit Optimizer(const Job &job) : job(job) {}
  int run();

private:
  Error configure(llvm::lto::Config &config);
  Error addInputs(llvm::lto::LTO &lto);
  Error upgradeKernels(MemoryBufferRef &input);
  void setDataLayout(llvm::lto::Config &config);
  void setSaveTemps(llvm::lto::Config &config);
  void setEmitLlvm(llvm::lto::Config &config);
  unsigned number(StringRef key, unsigned otherwise) const {
    unsigned value;
    return job.get(key).getAsInteger(10, value) ? otherwise : value;
  }
  void print(const DiagnosticInfo &info);

  const Job &job;
  std::mutex mutex;
  std::atomic<bool> failed{false};
  /// Inputs that were written anew, to which LTO refers.
  std::list<SmallVector<char, 0>> rewritten;
};

} // namespace

void Optimizer::print(const DiagnosticInfo &info) {
  if (info.getSeverity() == DS_Remark || info.getSeverity() == DS_Note)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (info.getSeverity() == DS_Error) {
    failed = true;
    outs() << "error: ";
  } else {
    outs() << "warning: ";
  }
  DiagnosticPrinterRawOStream printer(outs());
  info.print(printer);
  outs() << '\n';
}

/// The names are those of clang-nvlink-wrapper and of lld.
void Optimizer::setSaveTemps(llvm::lto::Config &config) {
  std::string prefix = job.get("save-temps").str();
  if (prefix.empty())
    return;
  if (Error e = config.addSaveTemps(prefix + ".",
                                    /*UseInputModulePath=*/false)) {
    outs() << "warning: " << toString(std::move(e)) << '\n';
    failed = true;
  }
}

/// The optimized modules instead of PTX; code isn't generated.
void Optimizer::setEmitLlvm(llvm::lto::Config &config) {
  config.PostOptModuleHook = [this](unsigned task, const Module &module) {
    SmallString<0> bitcode;
    raw_svector_ostream os(bitcode);
    WriteBitcodeToFile(module, os);
    std::string path = job.output.str() + std::to_string(task);
    if (Error e = writeAnswer(path, bitcode)) {
      std::lock_guard<std::mutex> lock(mutex);
      outs() << "error: " << toString(std::move(e)) << '\n';
      failed = true;
    }
    return false;
  };
}

/// The processor, or the newest one before it that this LLVM knows: ptxas takes
/// PTX for later ones, unless it is for an architecture's own features.
static std::string chooseProcessor(StringRef wanted) {
  std::string error;
  Triple triple(TargetTriple);
  const Target *target = TargetRegistry::lookupTarget("", triple, error);
  std::unique_ptr<MCSubtargetInfo> known(
      target->createMCSubtargetInfo(TripleArgument(triple.str()), "", ""));
  if (known->isCPUStringValid(wanted))
    return wanted.str();
  unsigned number = 0;
  StringRef digits = wanted;
  digits.consume_front("sm_");
  if (!digits.consumeInteger(10, number))
    for (; number; --number)
      if (std::string name = "sm_" + utostr(number);
          known->isCPUStringValid(name))
        return name;
  return wanted.str();
}

/// Older bitcode has the data layout of its time, and code is only generated
/// for the target's own. That has grown by types that older bitcode doesn't
/// use: addresses in tensor memory, integers of 256 bits.
void Optimizer::setDataLayout(llvm::lto::Config &config) {
  std::string error;
  Triple triple(TargetTriple);
  const Target *target = TargetRegistry::lookupTarget("", triple, error);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      TripleArgument(triple.str()), config.CPU, "", {}, std::nullopt));
  config.PreOptModuleHook =
      [layout = machine->createDataLayout()](unsigned, const Module &module) {
        if (Triple(module.getTargetTriple()).isArch64Bit() &&
            module.getDataLayout() != layout)
          const_cast<Module &>(module).setDataLayout(layout);
        return true;
      };
}

Error Optimizer::configure(llvm::lto::Config &config) {
  unsigned level = number("O", 2);
  config.CPU = chooseProcessor(job.get("cpu"));
  if (StringRef features = job.get("features"); !features.empty())
    config.MAttrs = {features.str()};
  config.OptLevel = level;
  auto codegenLevel = CodeGenOpt::getLevel(level);
  if (level > 3 || !codegenLevel)
    return createStringError("optimization level " + Twine(level) +
                             " is not one of 0 to 3");
  config.CGOptLevel = *codegenLevel;
  config.PTO.LoopVectorization = level > 1;
  config.PTO.SLPVectorization = level > 1;
  config.DefaultTriple = TargetTriple;
  config.CGFileType = CodeGenFileType::AssemblyFile;
  config.DiagHandler = [this](const DiagnosticInfo &info) { print(info); };
  setDataLayout(config);
  setSaveTemps(config);
  if (job.get("emit") == "llvm")
    setEmitLlvm(config);
  return Error::success();
}

/// Compilers before LLVM 20 mark kernels in metadata. Readers of whole modules
/// turn that into today's mark, the calling convention, but full LTO reads
/// functions one by one, and copies them before it comes to the metadata: their
/// kernels would be device functions that nobody calls. So such a module is
/// read as a whole here and written anew.
Error Optimizer::upgradeKernels(MemoryBufferRef &input) {
#if LLVM_VERSION_MAJOR >= 20
  Expected<std::vector<BitcodeModule>> modules = getBitcodeModuleList(input);
  if (!modules)
    return modules.takeError();
  if (modules->size() != 1)
    return Error::success();
  BitcodeModule &bitcode = modules->front();
  Expected<BitcodeLTOInfo> info = bitcode.getLTOInfo();
  if (!info)
    return info.takeError();
  if (info->IsThinLTO) // Its modules are read as a whole.
    return Error::success();
  LLVMContext context;
  auto module = bitcode.getLazyModule(context, /*ShouldLazyLoadMetadata=*/false,
                                      /*IsImporting=*/false);
  if (!module)
    return module.takeError();
  if (!(*module)->getNamedMetadata("nvvm.annotations"))
    return Error::success();
  if (Error e = (*module)->materializeAll())
    return e;
  SmallVector<char, 0> &bytes = rewritten.emplace_back();
  raw_svector_ostream os(bytes);
  WriteBitcodeToFile(**module, os);
  input = MemoryBufferRef(toStringRef(bytes), input.getBufferIdentifier());
#endif
  return Error::success();
}

Error Optimizer::addInputs(llvm::lto::LTO &lto) {
  for (const JobInput &input : job.inputs) {
    MemoryBufferRef bitcode(input.data, input.name);
    if (Error e = upgradeKernels(bitcode))
      return createStringError(Twine(input.name) + ": " +
                               toString(std::move(e)));
    auto file = llvm::lto::InputFile::create(bitcode);
    if (!file)
      return createStringError(Twine(input.name) + ": " +
                               toString(file.takeError()));
    if ((*file)->symbols().size() != input.resolutions.size())
      return createStringError(
          Twine(input.name) + ": there are not as many resolutions as symbols");
    std::vector<llvm::lto::SymbolResolution> resolutions;
    for (StringRef flags : input.resolutions) {
      llvm::lto::SymbolResolution &r = resolutions.emplace_back();
      r.Prevailing = flags.contains(resolution::Prevailing);
      r.VisibleToRegularObj = flags.contains(resolution::VisibleOutside);
      r.ExportDynamic = flags.contains(resolution::Exported);
      r.FinalDefinitionInLinkageUnit = flags.contains(resolution::Final);
    }
    if (Error e = lto.add(std::move(*file), resolutions))
      return createStringError(Twine(input.name) + ": " +
                               toString(std::move(e)));
  }
  return Error::success();
}

int Optimizer::run() {
  initializeTarget();
  std::vector<const char *> words = {"lld-cuda-lto"};
  if (auto it = job.settings.find("mllvm"); it != job.settings.end())
    for (StringRef option : it->second)
      words.push_back(option.data());
  if (words.size() > 1 &&
      !cl::ParseCommandLineOptions(words.size(), words.data(), "", &outs()))
    return CompileFailed;

  auto fail = [](Error e) {
    outs() << "error: " << toString(std::move(e)) << '\n';
    return int(CompileFailed);
  };
  llvm::lto::Config config;
  if (Error e = configure(config))
    return fail(std::move(e));
  auto backend = llvm::lto::createInProcessThinBackend(
      heavyweight_hardware_concurrency(number("threads", 0)));
  llvm::lto::LTO lto(std::move(config), backend,
                     std::max(1u, number("partitions", 1)));
  if (Error e = addInputs(lto))
    return fail(std::move(e));
  auto addStream =
      [&](size_t task,
          const Twine &) -> Expected<std::unique_ptr<CachedFileStream>> {
    std::string path = job.output.str() + std::to_string(task);
    std::error_code ec;
    auto os = std::make_unique<raw_fd_ostream>(path, ec, sys::fs::OF_None);
    if (ec)
      return createStringError(ec, path + ": " + ec.message());
    return std::make_unique<CachedFileStream>(std::move(os), path);
  };
  if (Error e = lto.run(addStream))
    return fail(std::move(e));
  return failed ? CompileFailed : Done;
}

int runLlvmLto(const Job &job) { return Optimizer(job).run(); }

} // namespace lld::cuda::lto
