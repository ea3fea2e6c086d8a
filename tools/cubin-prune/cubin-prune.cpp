//===- cubin-prune.cpp - Removes device code that nobody needs ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program cubin-prune: reads its command line, which has nvprune's options
/// and names besides its own, and for each input prunes the file
/// (PruneFile.cpp) and puts the result in place. People call it on programs and
/// libraries to make them smaller before they ship them. A result is read back
/// (Verify.h) before it replaces anything. runCubinPrune() is its main
/// function, also in cubin-tools. Exit status: 0, or 1 after an error; then no
/// file was changed but those that messages say were.
///
//===----------------------------------------------------------------------===//

#include "InputFile.h"
#include "PruneFile.h"
#include "Tools.h"
#include "lld-cuda/Support/OutputFile.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/RegularFile.h"
#include "lld-cuda/Support/ToolOptions.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

cl::OptionCategory category("cubin-prune options");
cl::SubCommand ownOptions;

cl::list<std::string> inputs(cl::Positional,
                             cl::desc("<file>... (-: standard input)"),
                             cl::cat(category), cl::sub(ownOptions));
cl::list<std::string> keep(
    "keep", cl::value_desc("target[,target...]"),
    cl::desc(
        "Keep code for these targets and remove the rest. A target is sm_90, "
        "sm_8*, compute_90 (PTX), lto_90, or a kind: elf, ptx, tile, lto"),
    cl::cat(category), cl::sub(ownOptions));
cl::list<std::string>
    drop("drop", cl::value_desc("target[,target...]"),
         cl::desc("Remove code for these targets and keep the rest"),
         cl::cat(category), cl::sub(ownOptions));
cl::list<std::string> arch("arch", cl::value_desc("sm_90"),
                           cl::desc("nvprune's name for --keep"),
                           cl::cat(category), cl::sub(ownOptions));
cl::list<std::string>
    gencode("gencode", cl::value_desc("arch=...,code=..."),
            cl::desc("Keep the targets that code= names, as nvprune does"),
            cl::cat(category), cl::sub(ownOptions));
cl::alias generateCode("generate-code", cl::aliasopt(gencode), cl::NotHidden,
                       cl::desc("Alias for --gencode"), cl::cat(category));
cl::list<std::string> linked(
    "linked", cl::value_desc("image"), cl::ValueOptional,
    cl::desc("Remove relocatable code for architectures that a device link has "
             "already linked: those of this image, host object or program, or "
             "(without a value) those linked in the file itself"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> noRelocatable(
    "no-relocatable-elf",
    cl::desc(
        "Remove all relocatable machine code (the input of a device link)"),
    cl::cat(category), cl::sub(ownOptions));
cl::list<std::string> keepKernels(
    "keep-kernels", cl::value_desc("pattern"),
    cl::desc("Keep kernels whose mangled or demangled name matches and remove "
             "the others; @file reads one pattern per line"),
    cl::cat(category), cl::sub(ownOptions));
cl::list<std::string> dropKernels(
    "drop-kernels", cl::value_desc("pattern"),
    cl::desc("Remove kernels whose name matches and keep the others"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> stripDebug("strip-debug",
                         cl::desc("Remove debug information from machine code"),
                         cl::cat(category), cl::sub(ownOptions));
cl::alias shortStripDebug("g", cl::aliasopt(stripDebug), cl::NotHidden,
                          cl::desc("Alias for --strip-debug"),
                          cl::cat(category));
cl::opt<std::string>
    compress("compress", cl::value_desc("method"),
             cl::desc("Recompress the images: none, lz4, zstd, or size (zstd "
                      "at its highest level)"),
             cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string>
    output("o", cl::value_desc("file"),
           cl::desc("Write the pruned file here (-: standard output)"),
           cl::cat(category), cl::sub(ownOptions));
cl::alias outputFile("output-file", cl::aliasopt(output), cl::NotHidden,
                     cl::desc("Alias for -o"), cl::cat(category));
cl::opt<bool> inPlace("in-place",
                      cl::desc("Replace the input files; several may be given"),
                      cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string> backup(
    "backup", cl::value_desc("suffix"),
    cl::desc(
        "With --in-place: keep each old file under its name plus this suffix"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> removeSignature(
    "remove-signature",
    cl::desc("Also prune signed Windows programs and DLLs, and remove their "
             "signature, which pruning makes invalid"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> allowEmpty(
    "allow-empty",
    cl::desc(
        "Allow pruning that leaves a file without device code or without "
        "kernels. By default such a file is left unchanged, with an error"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> dryRun("dry-run",
                     cl::desc("Print what would be removed; write nothing"),
                     cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> verbose("verbose", cl::desc("Print what was removed"),
                      cl::cat(category), cl::sub(ownOptions));
cl::alias shortVerbose("v", cl::aliasopt(verbose), cl::NotHidden,
                       cl::desc("Alias for "
                                "--verbose"),
                       cl::cat(category));

/// Patterns were compared with the images of a file.
bool hasRead = false;

bool isStream(StringRef path) { return path == "-"; }

/// Where reports are printed: not to standard output if the result is written
/// there.
raw_ostream &reports() { return isStream(output) ? errs() : outs(); }

int fail(StringRef label, Error e) {
  WithColor::error(errs(), "cubin-prune")
      << asPrintable(label) << ": " << asPrintable(toString(std::move(e)))
      << '\n';
  return 1;
}

int failUsage(const Twine &text) {
  WithColor::error(errs(), "cubin-prune") << asPrintable(text.str()) << '\n';
  return 1;
}

SandboxRules makeSandboxRules() {
  SandboxRules rules;
  rules.reads.emplace();
  copy_if(inputs, std::back_inserter(*rules.reads), std::not_fn(isStream));
  append_range(*rules.reads, linked);
  for (const auto *patterns : {&keepKernels, &dropKernels})
    for (StringRef pattern : *patterns)
      if (pattern.consume_front("@"))
        rules.reads->push_back(pattern.str());
  if (inPlace)
    rules.outputs.assign(inputs.begin(), inputs.end());
  else if (!output.empty() && !isStream(output))
    rules.outputs.push_back(output);
  return rules;
}

Expected<std::unique_ptr<MemoryBuffer>> open(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFile(path);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  return std::move(*buffer);
}

Error addLinked(StringRef path, Selection &selection) {
  if (path.empty()) {
    selection.usesOwnImage = true;
    return Error::success();
  }
  Expected<std::unique_ptr<MemoryBuffer>> buffer = open(path);
  if (!buffer)
    return createStringError(path + ": " + toString(buffer.takeError()));
  Expected<StringSet<>> targets =
      listLinkedTargets((*buffer)->getMemBufferRef());
  if (!targets)
    return targets.takeError();
  if (targets->empty())
    return createStringError(path + " has no linked device code");
  for (const auto &target : *targets)
    selection.linked.insert(target.first());
  return Error::success();
}

Error addCubinOptions(Selection &selection) {
  for (const std::string &text : keepKernels)
    if (Error e = selection.cubins.kernels.keep(text))
      return e;
  for (const std::string &text : dropKernels)
    if (Error e = selection.cubins.kernels.drop(text))
      return e;
  selection.cubins.dropsDebug = stripDebug;
  if (compress.empty())
    return Error::success();
  selection.compression =
      StringSwitch<std::optional<FatbinCompression>>(compress)
          .Case("none", FatbinCompression::None)
          .Case("lz4", FatbinCompression::Speed)
          .Case("speed", FatbinCompression::Speed)
          .Case("zstd", FatbinCompression::Balance)
          .Case("balance", FatbinCompression::Balance)
          .Case("size", FatbinCompression::Size)
          .Default(std::nullopt);
  return selection.compression
             ? Error::success()
             : createStringError("--compress=" + compress +
                                 ": expected none, lz4, zstd or size");
}

Error addOptions(Selection &selection) {
  for (const auto &[list, isKept] :
       {std::pair(&keep, true), {&arch, true}, {&drop, false}})
    for (const std::string &text : *list)
      if (Error e = isKept ? selection.keep(text) : selection.drop(text))
        return e;
  for (const std::string &text : gencode)
    if (Error e = selection.keepGencode(text))
      return e;
  for (const std::string &path : linked)
    if (Error e = addLinked(path, selection))
      return e;
  selection.dropsRelocatable = noRelocatable;
  selection.removesSignature = removeSignature;
  return addCubinOptions(selection);
}

Error save(const PrunedFile &input, StringRef path, bool isReplaced,
           PruneResult &pruned, FileChange &change) {
  constexpr mode_t PermissionBits = 0777;
  change.mode = input.status().st_mode & PermissionBits;
  change.leavesHoles = true;
  change.check = [&](StringRef written) {
    return checkImages(MemoryBufferRef(written, path), pruned.expected);
  };
  change.checkOld = [&] { return input.checkUnchanged(); };
  change.replacesOnlyCopy = isReplaced;
  if (inPlace && !backup.empty())
    change.backup = path.str() + backup;
  OutputRequest request(inPlace ? path : StringRef(output),
                        pruned.output.size(), pruned.output.spans());
  request.change = &change;
  request.toStandardOutput = isStream(output);
  OutputSet outputs;
  if (Error e = outputs.add(std::move(request)))
    return e;
  return outputs.commit();
}

void describe(StringRef path, const PruneCounts &counts,
              const Selection &selection) {
  reports() << asPrintable(path) << ": " << counts.dropped << " of "
            << counts.kept + counts.dropped << " images removed";
  if (counts.bytesDropped >= 0)
    reports() << ", " << counts.bytesDropped << " bytes";
  if (!selection.cubins.kernels.empty())
    reports() << "; " << counts.kernelsDropped << " kernels removed";
  if (counts.rewritten)
    reports() << "; " << counts.rewritten << " images rewritten";
}

uint64_t bytesOnDisk(const PrunedFile &input) {
  constexpr uint64_t BlockSize = 512;
  return input.status().st_blocks * BlockSize;
}

/// Zeros take no space there.
void describeDisk(const PrunedFile &input, uint64_t size, uint64_t onDisk) {
  reports() << "; " << input.contents().size() << " bytes before, " << size
            << " after; on disk " << bytesOnDisk(input) << " before, " << onDisk
            << " after\n";
}

/// What was probably not meant: a target or a name was misspelt.
Error checkNotEmpty(const PruneCounts &counts, const Selection &selection) {
  const bool keptKernels = selection.cubins.kernels.keptAny();
  if (allowEmpty)
    return Error::success();
  if (!counts.kept && counts.dropped)
    return createStringError(
        "no device code would be left; --allow-empty allows that");
  if (counts.kernelsDropped && !keptKernels)
    return createStringError(
        "no kernel would be left; --allow-empty allows that");
  return Error::success();
}

int prune(StringRef path, const Selection &selection) {
  // A link stays one: the file that it names is replaced.
  SmallString<128> target(path);
  if (!isStream(path))
    if (std::error_code ec = sys::fs::real_path(path, target))
      return fail(path, errorCodeToError(ec));
  const bool isReplaced =
      inPlace || (!output.empty() && !isStream(output) && !isStream(path) &&
                  sys::fs::equivalent(output, target));
  Expected<std::unique_ptr<PrunedFile>> input =
      isStream(path) ? PrunedFile::readStandardInput()
                     : PrunedFile::open(target, isReplaced);
  if (!input)
    return fail(path, input.takeError());
  const StringRef contents = (*input)->contents();
  if (contents.starts_with("PK\3\4"))
    return fail(path, createStringError(
                          "a wheel or another zip file: prune the files in it, "
                          "as after 'python3 -m wheel unpack'"));
  Expected<PruneResult> pruned =
      pruneFile(MemoryBufferRef(contents, target), selection);
  if (!pruned)
    return fail(path, pruned.takeError());
  hasRead = true;
  const PruneCounts &counts = pruned->counts;
  // Among many files some have none.
  if (!counts.kept && !counts.dropped && !inPlace)
    WithColor::warning(errs(), "cubin-prune")
        << asPrintable(path) << ": nothing in it can be pruned\n";
  const uint64_t size = pruned->output.size();
  if (dryRun) {
    describe(path, counts, selection);
    describeDisk(**input, size, pruned->output.bytesOnDisk());
  }
  if (Error e = checkNotEmpty(counts, selection))
    return fail(path, std::move(e));
  FileChange change;
  change.bytesOnDisk = bytesOnDisk(**input);
  const bool isUnchanged = !counts.isChanged() && inPlace;
  if (!dryRun && !isUnchanged)
    if (Error e = save(**input, target, isReplaced, *pruned, change))
      return fail(path, std::move(e));
  if (verbose && !dryRun) {
    describe(path, counts, selection);
    describeDisk(**input, size, change.bytesOnDisk);
  }
  if (!change.losses.empty())
    WithColor::warning(errs(), "cubin-prune")
        << asPrintable(path)
        << ": the new file doesn't have what the old one had: "
        << join(change.losses, ", ") << '\n';
  return 0;
}

} // namespace

int lld::cuda::runCubinPrune(int argc, char **argv) {
  useToolOptions(ownOptions);
  const cl::extrahelp examples(
      "\nEXAMPLES:\n\n"
      "See what a library would lose if it kept code for a few GPUs only:\n"
      "  cubin-prune --keep=sm_80,sm_90,ptx --dry-run lib.so\n"
      "Remove the inputs that a device link leaves behind; keep the old "
      "files:\n"
      "  cubin-prune --linked --in-place --backup=.old "
      "*.so *.dll\n"
      "\ncubin-size shows what a file contains. The manual page has a "
      "recipe for wheels.\n");
  setProgramName("cubin-prune");
  prepareProgram("cubin-prune");
  addToolOptions(category, "cubin-prune", argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Removes unneeded device code from programs and libraries\n");
  if (!applyToolOptions(makeSandboxRules()))
    return 1;
  if (inputs.empty())
    return failUsage("no input file");
  if (output.empty() + !inPlace + !dryRun != 2)
    return failUsage("use exactly one of -o, --in-place and --dry-run");
  if (inPlace && is_contained(inputs, "-"))
    return failUsage("--in-place: standard input can't be replaced; use -o");
  if (isStream(output) && outs().is_displayed())
    return failUsage("-o -: standard output is a terminal");
  if (!output.empty() && inputs.size() > 1)
    return failUsage("-o is for one input file; --in-place is for several");
  Selection selection;
  if (Error e = addOptions(selection))
    return failUsage(toString(std::move(e)));
  if (selection.empty())
    return failUsage(
        "nothing to do: use --keep, --drop, --linked, --keep-kernels, "
        "--drop-kernels, --strip-debug or --compress");
  int status = 0;
  for (const std::string &input : inputs)
    status |= prune(input, selection);
  if (!hasRead)
    return finishOutput(status);
  for (const std::string &target : selection.unmatched())
    WithColor::warning(errs(), "cubin-prune")
        << "no image is for '" << asPrintable(target) << "'\n";
  for (const std::string &pattern : selection.cubins.kernels.unmatched())
    WithColor::warning(errs(), "cubin-prune")
        << "no kernel is named like '" << asPrintable(pattern) << "'\n";
  return finishOutput(status);
}
