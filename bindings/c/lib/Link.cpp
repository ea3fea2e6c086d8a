//===- Link.cpp - From options and inputs to an image ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program that uses lldcuda.h links by three functions:
/// lldcuda_link_create(), lldcuda_link_add() for each input, and
/// lldcuda_link_run(). With lldcuda_prepare() it reads an input once for many
/// links. A handle goes through the stages of Handles.h in one direction: the
/// first input, or the run if there is none, makes the options final.
///
/// Each input is copied and identified, then handed to a LinkSession, which
/// reads, checks and merges it at once. So it is lldcuda_link_add() that
/// reports a duplicate definition, not the run. An input that is refused has no
/// part in the link, and the program may go on without it.
///
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "lld-cuda/Support/LlvmCompat.h"
#include "lld-cuda/Support/LongLived.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::capi;

/// The order of InputKind.
static constexpr int32_t LastKind = LLDCUDA_INPUT_ARCHIVE;
static_assert(int32_t(InputKind::Archive) == LastKind &&
              int32_t(InputKind::PTX) == LLDCUDA_INPUT_PTX);

/// What the program says of an input, and that it makes sense. Null `prepared`
/// of the result: the contents or path are to be read.
static bool readInput(LinkInput &to, const lldcuda_input *given) {
  lldcuda_input from;
  if (!readStruct(from, given))
    return false;
  const auto *bytes = static_cast<const char *>(from.data);
  if (!isString(from.path) || !isString(from.name) ||
      !isArray(bytes, from.size) ||
      from.flags & ~(LLDCUDA_INPUT_IF_NEEDED | LLDCUDA_INPUT_COMPILE_NOW))
    return false;
  // No bytes are an input without contents, which may be at no address.
  const bool isFile = from.path.size, isPrepared = from.prepared;
  if (isFile + isPrepared + (bytes != nullptr) > 1 || from.kind < 0 ||
      from.kind > LastKind)
    return false;
  to.kind = InputKind(from.kind);
  to.isTakenIfNeeded = from.flags & LLDCUDA_INPUT_IF_NEEDED;
  to.name = asRef(from.name).str();
  if (isPrepared) {
    to.prepared = from.prepared->input;
    to.kind = from.prepared->kind;
    if (to.name.empty())
      to.name = from.prepared->name;
  } else if (isFile) {
    to.path = asRef(from.path).str();
    if (to.name.empty())
      to.name = to.path;
    // A NUL would end the path for a system call.
    return !StringRef(to.path).contains('\0');
  } else {
    to.contents = StringRef(bytes, from.size);
  }
  return true;
}

/// Returns the status of a step that has failed; it is never LLDCUDA_OK.
static lldcuda_status statusOrError(ArrayRef<Diagnostic> messages) {
  const lldcuda_status status = statusOf(messages);
  return status == LLDCUDA_OK ? LLDCUDA_ERROR_LINK : status;
}

static lldcuda_status prepare(std::shared_ptr<PreparedInput> &to,
                              const LinkInput &input,
                              std::vector<Diagnostic> &messages,
                              bool isForOneLink) {
  to = prepareInput(input, messages, isForOneLink);
  if (to)
    return LLDCUDA_OK;
  return messages.empty() ? LLDCUDA_ERROR_OUT_OF_MEMORY
                          : statusOrError(messages);
}

lldcuda_status lldcuda_prepare(const lldcuda_input *input,
                               lldcuda_prepared **prepared) {
  return call([&]() -> lldcuda_status {
    LinkInput read;
    if (!prepared)
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
    *prepared = nullptr;
    if (!readInput(read, input) || read.prepared || input->flags)
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
    std::vector<Diagnostic> messages;
    auto result = std::make_unique<lldcuda_prepared>();
    if (lldcuda_status status = prepare(result->input, read, messages,
                                        /*isForOneLink=*/false))
      return status;
    result->name = std::move(read.name);
    result->kind = read.kind;
    *prepared = result.release();
    return LLDCUDA_OK;
  });
}

void lldcuda_prepared_destroy(lldcuda_prepared *prepared) { delete prepared; }

/// "sm_90", "sm_90a". A virtual target has nothing to link.
static lldcuda_status checkArch(StringRef arch) {
  unsigned number;
  if (!arch.consume_front("sm_") || arch.consumeInteger(10, number) ||
      arch.size() > 1 || (arch.size() == 1 && !isAlpha(arch.front())))
    return LLDCUDA_ERROR_OPTION;
  return elf::getArchitectureLimits(number) ? LLDCUDA_OK
                                            : LLDCUDA_ERROR_UNKNOWN_ARCH;
}

/// Starts the session with the options as they are now. The first error makes
/// the link useless.
static lldcuda_status settleOptions(lldcuda_link &link) {
  std::vector<Diagnostic> messages;
  lldcuda_status status = LLDCUDA_OK;
  if (link.session) {
    // The options are final already.
  } else if (link.options.arch.empty()) {
    status = link.fail(LLDCUDA_ERROR_NO_ARCH, "no-arch",
                       "no target: '-arch=sm_NN' is missing");
  } else {
    link.session.emplace(link.options);
    const bool areRight = link.session->begin(messages);
    link.record(messages, 0);
    status = checkArch(link.options.arch);
    if (areRight && status != LLDCUDA_OK)
      link.fail(status, "invalid-value",
                "the target is not of the form sm_NN: '" + link.options.arch +
                    "'");
    else if (!areRight && status == LLDCUDA_OK)
      status = statusOrError(messages);
    if (status != LLDCUDA_OK)
      link.session.reset();
  }
  link.stage = status == LLDCUDA_OK ? Stage::Inputs : Stage::Broken;
  return status;
}

lldcuda_status lldcuda_link_create(const lldcuda_options *options,
                                   lldcuda_link **link) {
  if (!link)
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  *link = nullptr;
  return call([&]() -> lldcuda_status {
    auto made = std::make_unique<lldcuda_link>();
    lldcuda_status status = LLDCUDA_OK;
    if (options) {
      status = readOptions(*made, options);
      if (status == LLDCUDA_ERROR_INVALID_ARGUMENT)
        return status;
      Charging charging(made->account);
      if (status == LLDCUDA_OK)
        status = settleOptions(*made);
      // More may be said as strings.
      if (status == LLDCUDA_OK)
        made->stage = Stage::Options;
    }
    *link = made.release();
    return status;
  });
}

void lldcuda_link_destroy(lldcuda_link *link) { delete link; }

/// Compiles an input that is PTX by itself, which becomes a cubin.
static lldcuda_status compileNow(lldcuda_link &link, LinkInput &input,
                                 uint32_t number) {
  link.adding = number;
  auto done = atScopeExit([&] { link.adding = 0; });
  InputFacts facts = examineInput(input, link.options, /*compiles=*/true);
  const lldcuda_status status = statusOf(facts.messages);
  // Nobody will say what the compiler has said again.
  if (status != LLDCUDA_OK || facts.compiled)
    link.record(facts.messages, number);
  if (status != LLDCUDA_OK || !facts.compiled)
    return status;
  std::vector<Diagnostic> messages;
  input.kind = InputKind::Cubin;
  return prepare(input.prepared,
                 LinkInput::bytes(facts.compiled->getBuffer(), input.name),
                 messages, /*isForOneLink=*/true);
}

/// Adds an input that has been read, unless something is wrong with it.
static lldcuda_status addPrepared(lldcuda_link &link, LinkInput next,
                                  uint32_t number, bool compiles) {
  if (compiles && kindOf(*next.prepared) == InputKind::PTX)
    if (lldcuda_status status = compileNow(link, next, number))
      return status;
  std::vector<Diagnostic> messages;
  {
    LongLived numbers;
    link.inputs.push_back(number);
  }
  auto undo = atScopeExit([&link] { link.inputs.pop_back(); });
  const bool isTaken = link.session->add(std::move(next), messages);
  link.record(messages, number);
  if (!isTaken)
    return statusOrError(messages);
  undo.release();
  return LLDCUDA_OK;
}

lldcuda_status lldcuda_link_add(lldcuda_link *link, const lldcuda_input *input,
                                uint32_t *number) {
  return callWith(link, [&]() -> lldcuda_status {
    LinkInput next;
    const uint32_t ownNumber = ++link->added;
    if (number)
      *number = ownNumber;
    if (!readInput(next, input))
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
    if (link->stage == Stage::Options)
      if (lldcuda_status status = settleOptions(*link))
        return status;
    if (link->stage != Stage::Inputs)
      return link->fail(
          LLDCUDA_ERROR_INVALID_STATE, "invalid-state",
          link->stage == Stage::Done
              ? "an input was added after the link was done"
              : "an input was added to a link whose options are invalid",
          ownNumber);
    if (next.name.empty())
      next.name = ("<input " + Twine(ownNumber) + ">").str();
    std::vector<Diagnostic> messages;
    if (!next.prepared)
      if (lldcuda_status status = prepare(next.prepared, next, messages,
                                          /*isForOneLink=*/true)) {
        link->record(messages, ownNumber);
        return status;
      }
    next.contents = std::nullopt;
    return addPrepared(*link, std::move(next), ownNumber,
                       input->flags & LLDCUDA_INPUT_COMPILE_NOW);
  });
}

lldcuda_status lldcuda_link_run(lldcuda_link *link) {
  return callWith(link, [&]() -> lldcuda_status {
    if (link->stage == Stage::Options)
      if (lldcuda_status status = settleOptions(*link))
        return status;
    if (link->stage != Stage::Inputs)
      return LLDCUDA_ERROR_INVALID_STATE;
    link->stage = Stage::Done;
    // The session, with all that the link has built, is freed at the end.
    auto drop = atScopeExit([link] {
      link->session.reset();
      link->account.endHeap();
    });
    LinkResult result = link->session->finish();
    link->record(result.diagnostics, 0);
    if (!result.succeeded())
      return statusOrError(result.diagnostics);
    if (result.outputs.empty())
      return link->fail(LLDCUDA_ERROR_INTERNAL, "internal-error",
                        "the link has no output");
    link->image = std::move(result.outputs.front());
    // Another link is to come, and to settle what kernels need.
    if (!link->options.relocatable)
      link->kernels = std::move(result.facts.kernels);
    return LLDCUDA_OK;
  });
}
