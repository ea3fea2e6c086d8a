//===- LinkSession.cpp - A link whose inputs come one by one --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A LinkSession is a link whose inputs a program hands over one by one. The C
/// interface has one for each link (bindings/c/lib/Link.cpp):
/// lldcuda_link_add() calls add(), which reads and merges the input at once and
/// so reports its errors, and lldcuda_link_run() calls finish(), which does the
/// rest of the link. Objects are merged in the order of the inputs, so none has
/// to wait for the next.
///
/// Two things make the session start again, with the inputs that it has
/// accepted:
///
///  * An input with an error may have been merged in part.
///  * The inputs choose the release whose rules apply, and the new input has
///    chosen another one.
///
/// If PTX or LTO IR has to be compiled first, finish() does the whole link, and
/// add() merges inputs only to find their errors.
///
//===----------------------------------------------------------------------===//

#include "Driver/Request.h"
#include "Input/LoadNext.h"
#include "LinkSteps.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "lld-cuda/Linker/Session.h"
#include "lld-cuda/Support/LlvmCompat.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda;

/// Why a file is merged when it is added.
enum class lld::cuda::Merging : uint8_t {
  Links,
  Checks,
  None ///< A layer has code that isn't to be merged beside it.
};

struct LinkSession::State {
  raw_null_ostream nowhere;
  LinkFacts facts;
  std::vector<Diagnostic> messages; ///< That haven't been taken.
  bool isAgain = false; ///< They may be of inputs that were taken before.
  LinkJob job{nowhere, nowhere};
  std::unique_ptr<Ctx> ctx;
  std::set<sys::fs::UniqueID> archives;
  Merging merging = Merging::Links;
  MergeProgress progress;
  ObjectReleases releases;
  bool mustSettle = true;
  const Release *release = nullptr; ///< By its rules files were merged.
  size_t mergedFiles = 0;

  bool isRight() const { return !job.diag.exitStatus(); }
};

LinkSession::LinkSession(LinkOptions options) : options(std::move(options)) {}

LinkSession::~LinkSession() = default;

/// Returns how a file can be merged now: some need a compiler or layers first.
static Merging mergingOf(const Inputs &inputs, const InputFile &file) {
  if (inputs.counts.hasLayers)
    return Merging::None;
  for (const InputUnit &unit : file.units)
    if (!unit.holds.ptx.empty() || !unit.holds.ltoIR.empty() ||
        any_of(unit.holds.cubins, [](const LoadedCubin &cubin) {
          return cubin.file.header().e_type == elf::ET_CUDA_EWP;
        }))
      return Merging::Checks;
  return Merging::Links;
}

/// A fatbin that has nothing for the target is no input by itself, while a host
/// object may have its code elsewhere.
static bool isFatbinOfOthers(const InputFile &file,
                             std::vector<Diagnostic> &messages) {
  if (file.units.size() != 1 ||
      file.units.front().kind != ContentKind::Fatbin || messages.empty() ||
      messages.back().id != DiagId::ArchNotFound)
    return false;
  messages.back().severity = Severity::Error;
  return true;
}

bool LinkSession::load(const LinkInput &input) {
  Inputs &inputs = state->ctx->inputs;
  const InputFile &file = loadNextInput(inputs, input, state->archives);
  if (isFatbinOfOthers(file, state->messages))
    return false;
  state->merging = std::max(state->merging, mergingOf(inputs, file));
  state->mustSettle |= state->releases.add(inputs, file);
  return state->isRight();
}

/// The files that were loaded since it was called before.
bool LinkSession::merge() {
  if (state->merging == Merging::None)
    return true;
  Ctx &ctx = *state->ctx;
  Pool<InputFile> &files = ctx.inputs.files;
  if (std::exchange(state->mustSettle, false)) {
    settleRules(ctx.inputs);
    if (!state->isRight())
      return false;
    const Release *release = &ctx.inputs.rules.release();
    if (state->release && state->release != release) {
      restart();
      return state->isRight();
    }
    if (!state->release)
      createFixedSections(ctx.inputs, ctx.program);
    state->release = release;
  }
  for (; state->mergedFiles != files.size(); ++state->mergedFiles) {
    InputFile &file = files[state->mergedFiles];
    // Whether it is needed isn't known yet.
    if (state->merging == Merging::Checks && file.systemLibrary)
      continue;
    if (!ctx.inputs.config.release.isFixed)
      for (InputUnit &unit : file.units) {
        recheckArchitectures(ctx.inputs, unit);
        reportUnit(ctx.inputs, unit);
      }
    if (state->isRight())
      mergeFile(ctx, state->progress, file);
    if (!state->isRight())
      return false;
  }
  return true;
}

void LinkSession::restart() {
  state = std::make_unique<State>();
  LinkJob &job = state->job;
  job.inputMode = InputMode::Read;
  job.outputs = OutputMode::Memory;
  job.facts = &state->facts;
  job.diag.recordTo(state->messages);
  readOptions(job, options);
  state->ctx = std::make_unique<Ctx>(job);
  state->isAgain = true;
  if (options.lto)
    state->merging = Merging::Checks;
  for (const LinkInput &input : inputs)
    load(input);
  if (!inputs.empty() && state->isRight())
    merge();
}

/// Removes the messages that were reported before, each once.
static void dropTold(std::vector<Diagnostic> &messages,
                     std::vector<Diagnostic> told) {
  erase_if(messages, [&](const Diagnostic &d) {
    auto found = find_if(told, [&](const Diagnostic &other) {
      return other.id == d.id && other.text == d.text;
    });
    if (found == told.end())
      return false;
    told.erase(found);
    return true;
  });
}

/// Returns the messages since the last call.
std::vector<Diagnostic> LinkSession::takeMessages() {
  std::vector<Diagnostic> messages = std::exchange(state->messages, {});
  if (std::exchange(state->isAgain, false))
    dropTold(messages, told);
  return messages;
}

bool LinkSession::begin(std::vector<Diagnostic> &messages) {
  restart();
  messages = told = takeMessages();
  return state->isRight();
}

bool LinkSession::add(LinkInput input, std::vector<Diagnostic> &messages) {
  // An exception for lack of memory undoes the call, too.
  auto undo = atScopeExit([this, count = inputs.size()] {
    inputs.resize(count);
    state.reset();
  });
  if (!state)
    restart();
  inputs.push_back(std::move(input));
  const bool isTaken = load(inputs.back()) && merge();
  messages = takeMessages();
  if (!isTaken)
    return false;
  append_range(told, messages);
  undo.release();
  return true;
}

LinkResult LinkSession::finish() {
  if (!state)
    restart();
  LinkResult result;
  if (state->merging == Merging::Links && (state->release || merge())) {
    Ctx &ctx = *state->ctx;
    linkMerged(ctx);
    commitOutputs(ctx.inputs);
    for (MemoryOutput &output : ctx.tools.outputs->inMemory)
      result.outputs.push_back(std::move(output.buffer));
    state->job.diag.finish();
    result.exitStatus = state->job.diag.exitStatus();
    result.diagnostics = takeMessages();
    result.facts = std::move(state->facts);
  } else {
    LinkRequest request;
    request.options = options;
    request.inputs = inputs;
    result = link(request);
    dropTold(result.diagnostics, told);
  }
  state.reset();
  return result;
}
