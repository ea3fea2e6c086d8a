//===- WhyReport.cpp - --why-live, --why-stack and so on ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// reportWhy() prints why functions stay and what kernels need their resources
/// for: a line for each kernel or function that a pattern of --why-live,
/// --why-stack, --why-registers, --why-shared or --why-barriers matches, and
/// below it the chain of calls, a function a line: what it adds, its object,
/// and the source lines at which it begins and is called. writeOutput() in
/// Link.cpp calls it when it is known what kernels inherit, before the image is
/// written. Why.cpp finds the chains.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Program.h"
#include "Report/Why.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// '*' is any run of characters; nothing else is special, since names of C++
/// have brackets and question marks have no use.
static bool matchesPattern(StringRef pattern, StringRef name) {
  SmallVector<StringRef> pieces;
  pattern.split(pieces, '*');
  if (pieces.size() == 1)
    return pattern == name;
  if (!name.consume_front(pieces.front()) ||
      name.size() < pieces.back().size() || !name.ends_with(pieces.back()))
    return false;
  name = name.drop_back(pieces.back().size());
  for (StringRef piece : ArrayRef(pieces).slice(1, pieces.size() - 2)) {
    const size_t at = name.find(piece);
    if (at == StringRef::npos)
      return false;
    name = name.drop_front(at + piece.size());
  }
  return true;
}

/// A demangled name without its parameters.
static StringRef withoutParameters(StringRef name) {
  if (!name.ends_with(")"))
    return name;
  unsigned depth = 0;
  for (size_t i = name.size(); i-- != 0;) {
    if (name[i] == ')')
      ++depth;
    else if (name[i] == '(' && !--depth)
      return name.take_front(i);
  }
  return name;
}

namespace {
class WhyReport {
public:
  WhyReport(const Inputs &inputs, Program &program, Resources &res)
      : inputs(inputs), program(program), why(inputs, program, res) {}
  void run();

private:
  using Report = void (WhyReport::*)(const Function &);
  void each(StringRef option, ArrayRef<std::string> patterns, bool kernelsOnly,
            Report report);
  void warnUnmatched(StringRef option, StringRef pattern, bool kernelsOnly);
  bool matches(StringRef pattern, const Symbol &s) const;

  void live(const Function &f);
  void liveVariables(StringRef pattern, bool &any);
  void stack(const Function &kernel);
  void registers(const Function &kernel);
  void barriers(const Function &kernel);
  void origin(const Function &kernel, const WhyOrigin &w, StringRef what,
              function_ref<uint64_t(const Function &)> amount);
  void shared(const Function &kernel);

  std::string name(const Function &f) const {
    return inputs.diag.display(f.name);
  }
  void row(uint64_t amount, const Function &f, const WhyStep *by);
  void rows(const Function &first, const WhyPath &path,
            function_ref<uint64_t(const Function &)> amount);
  std::string where(const Function &f);
  std::string atLines(const WhyStep &step);
  std::string how(const WhyStep &step);
  std::string taker(const WhyTaker &t, const Function &taken);
  void targets(const WhyStep &step);
  void calls(const WhyPath &path, StringRef indent);

  const Inputs &inputs;
  Program &program;
  Why why;
};
} // namespace

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

bool WhyReport::matches(StringRef pattern, const Symbol &s) const {
  if (matchesPattern(pattern, s.name))
    return true;
  const std::string name = inputs.diag.demangle(s.name);
  return matchesPattern(pattern, name) ||
         matchesPattern(pattern, withoutParameters(name));
}

/// Names are near that have the pattern's text in them, or differ in few
/// characters of what stands in front of the parameters.
void WhyReport::warnUnmatched(StringRef option, StringRef pattern,
                              bool kernelsOnly) {
  inputs.diag.report(DiagId::WhyNotFound,
                     {option, ": no ", kernelsOnly ? "kernel" : "symbol",
                      " matches ", diag::quoted(pattern)});
  if (!inputs.diag.explains())
    return;
  constexpr size_t MaxShown = 3;
  std::string text;
  for (char c : pattern)
    if (c != '*')
      text += c;
  std::vector<std::pair<unsigned, std::string>> near;
  for (const Function &f : program.functions) {
    if (!f.defined || (kernelsOnly && !f.isCounted))
      continue;
    const std::string shown = name(f);
    const StringRef base = withoutParameters(shown);
    const StringRef last = base.drop_front(base.rfind(':') + 1);
    const unsigned limit = text.size() / 3; // 0: anything would be near.
    if (text.size() > 2 && StringRef(shown).contains_insensitive(text))
      near.push_back({0, shown});
    else if (unsigned d = std::min(base.edit_distance(text, true, limit + 1),
                                   last.edit_distance(text, true, limit + 1));
             limit && d <= limit)
      near.push_back({d, shown});
  }
  llvm::sort(near);
  for (const auto &[distance, other] : ArrayRef(near).take_front(MaxShown))
    inputs.diag.explain("did you mean: " + other);
}

void WhyReport::each(StringRef option, ArrayRef<std::string> patterns,
                     bool kernelsOnly, Report report) {
  for (const std::string &pattern : patterns) {
    bool any = false;
    for (const Function &f : program.functions) {
      if ((kernelsOnly && !(f.isCounted && f.defined && f.reachable)) ||
          !matches(pattern, f))
        continue;
      any = true;
      (this->*report)(f);
    }
    if (!kernelsOnly)
      liveVariables(pattern, any);
    if (!any)
      warnUnmatched(option, pattern, kernelsOnly);
  }
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

std::string WhyReport::where(const Function &f) {
  if (!f.defined)
    return ", which no input defines";
  std::string text = (" in '" + program.objects[f.definedIn].label + "'").str();
  if (std::optional<SourceLine> line = why.definition(f))
    text += ", " + line->str();
  return inputs.diag.shown(text);
}

std::string WhyReport::atLines(const WhyStep &step) {
  const std::string places = describePlaces(why.linesOf(step));
  return places.empty() ? "" : inputs.diag.shown(" at " + places);
}

std::string WhyReport::how(const WhyStep &step) {
  const std::string at = atLines(step);
  if (step.kind == WhyStep::IndirectCall) {
    std::string type = describePrototype(step.prototype);
    return "; perhaps called through a pointer" + at +
           (type.empty() ? "" : ", " + type);
  }
  std::string text =
      step.kind == WhyStep::Call ? "; called" : "; its address is taken";
  return text + (at.empty() ? " by " + name(*step.caller) : at);
}

/// Says who takes the address, in which file, and in which line of its code.
std::string WhyReport::taker(const WhyTaker &t, const Function &taken) {
  std::string text =
      t.function ? name(*t.function) : inputs.diag.display(t.variable);
  text += (" in '" + t.file->label + "'").str();
  if (!t.function)
    return inputs.diag.shown(text);
  for (const SourceLine &line :
       why.linesOf({t.function, &taken, WhyStep::AddressTaken, {}}))
    text += ", " + line.str();
  return inputs.diag.shown(text);
}

void WhyReport::targets(const WhyStep &step) {
  constexpr size_t MaxTargets = 4;
  if (step.kind != WhyStep::IndirectCall)
    return;
  ArrayRef<Function *> all = program.callGraph.indirectTargets(step.prototype);
  inputs.out
      << "             functions of that type whose addresses are taken:";
  for (const Function *f : all.take_front(MaxTargets))
    inputs.out << (f == all.front() ? " " : ", ") << name(*f);
  if (all.size() > MaxTargets)
    inputs.out << " and " << all.size() - MaxTargets << " more";
  inputs.out << '\n';
  const std::vector<WhyTaker> takers = why.takers(*step.callee);
  for (const WhyTaker &t : ArrayRef(takers).take_front(MaxTargets))
    inputs.out << "             " << name(*step.callee) << "'s is taken by "
               << taker(t, *step.callee) << '\n';
}

void WhyReport::row(uint64_t amount, const Function &f, const WhyStep *by) {
  inputs.out << format("%10llu  ", (unsigned long long)amount) << name(f)
             << where(f) << (by ? how(*by) : "") << '\n';
  if (by)
    targets(*by);
}

void WhyReport::rows(const Function &first, const WhyPath &path,
                     function_ref<uint64_t(const Function &)> amount) {
  row(amount(first), first, nullptr);
  for (const WhyStep &step : path)
    row(amount(*step.callee), *step.callee, &step);
}

/// Prints the calls of a path without amounts.
void WhyReport::calls(const WhyPath &path, StringRef indent) {
  for (const WhyStep &step : path) {
    inputs.out << indent << name(*step.caller)
               << (step.kind == WhyStep::Call ? " calls "
                   : step.kind == WhyStep::IndirectCall
                       ? " may call "
                       : " takes the address of ")
               << name(*step.callee)
               << (step.kind == WhyStep::IndirectCall ? " through a pointer"
                                                      : "")
               << atLines(step) << '\n';
  }
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

void WhyReport::stack(const Function &kernel) {
  const WhyStack w = why.stack(kernel);
  auto frame = [&](const Function &f) { return why.frameSize(f); };
  inputs.out << "stack of " << name(kernel) << ": ";
  if (w.size) {
    inputs.out << *w.size << " bytes per thread\n";
    return rows(kernel, w.path, frame);
  }
  inputs.out << "unknown, since a function can call itself\n";
  rows(kernel, w.path, frame);
  inputs.out << "      the calls through which it calls itself:\n";
  for (const WhyStep &step : w.cycle)
    row(frame(*step.callee), *step.callee, &step);
}

void WhyReport::origin(const Function &kernel, const WhyOrigin &w,
                       StringRef what,
                       function_ref<uint64_t(const Function &)> amount) {
  inputs.out << what << " of " << name(kernel) << ": " << w.total;
  if (w.isReconfigured)
    inputs.out << ", its own, since code that it reaches sets the register "
                  "count at run time";
  else if (w.origin != &kernel)
    inputs.out << ", from " << name(*w.origin) << "; " << w.own
               << " of its own";
  else
    inputs.out << ", its own";
  inputs.out << '\n';
  rows(kernel, w.path, amount);
  if (!w.isUnreached)
    return;
  row(amount(*w.origin), *w.origin, nullptr);
  inputs.out << "      not called from it, but in an image with a single "
                "kernel all functions count\n";
}

void WhyReport::registers(const Function &kernel) {
  origin(kernel, why.registers(kernel), "registers",
         [&](const Function &f) { return why.ownRegisters(f); });
}

void WhyReport::barriers(const Function &kernel) {
  origin(kernel, why.barriers(kernel), "barriers",
         [&](const Function &f) { return why.ownBarriers(f); });
}

void WhyReport::shared(const Function &kernel) {
  const WhyShared w = why.shared(kernel);
  inputs.out << "shared memory of " << name(kernel) << ": "
             << w.size - w.reserved << " bytes";
  if (w.reserved)
    inputs.out << " and " << w.reserved << " reserved";
  const uint64_t limit = getArchitectureLimits(inputs.sm())->sharedDefault;
  if (w.size - w.reserved > limit)
    inputs.out << ", " << w.size - w.reserved - limit << " more than the "
               << limit << " that a kernel can have";
  inputs.out << "\n    offset      size\n";
  for (const WhyShared::Part &part : w.parts) {
    inputs.out << format("%10llu%10llu  ", (unsigned long long)part.offset,
                         (unsigned long long)part.size);
    if (!part.variable) {
      inputs.out << "variables of other kernels, and padding\n";
      continue;
    }
    const Variable &v = *part.variable;
    inputs.out << (v.name.empty() ? "(no name)" : inputs.diag.display(v.name))
               << " in '"
               << inputs.diag.shown(program.objects[v.definedIn].label) << "'";
    if (part.user)
      inputs.out << "; used by " << name(*part.user);
    inputs.out << '\n';
    calls(part.path, "                      ");
  }
  if (w.dynamicOffset)
    inputs.out << format("%10llu", (unsigned long long)*w.dynamicOffset)
               << "            extern arrays, whose size the launch sets\n";
}

void WhyReport::liveVariables(StringRef pattern, bool &any) {
  for (const Variable &v : program.variables) {
    if (v.name.empty() || !v.defined || !matches(pattern, v))
      continue;
    any = true;
    inputs.out << inputs.diag.display(v.name) << " in '"
               << inputs.diag.shown(program.objects[v.definedIn].label)
               << "' is kept: variables are never left out\n";
    if (!v.isShared())
      continue;
    for (const Function *f : why.users(v))
      inputs.out << "  used by " << name(*f) << '\n';
  }
}

void WhyReport::live(const Function &f) {
  const WhyLive w = why.live(f);
  inputs.out << name(f) << where(f) << ": ";
  switch (w.reason) {
  case WhyLive::Kernel:
    inputs.out << "is kept, since it is a kernel"
               << (program.prunesKernels ? " that is used\n" : "\n");
    break;
  case WhyLive::Reached:
    inputs.out << "is kept, since a kernel reaches it\n";
    break;
  case WhyLive::AddressTaken:
    inputs.out << "is kept, since its address is taken\n";
    for (const WhyTaker &t : w.takers)
      inputs.out << "  by " << taker(t, f) << '\n';
    break;
  case WhyLive::Asked:
    inputs.out << "is kept, since -u or --require-defined names it\n";
    break;
  case WhyLive::KeepsAll:
    inputs.out << "is kept, since this link leaves nothing out\n";
    break;
  case WhyLive::LeftOut:
    inputs.out << "is left out, since no kernel reaches it\n";
    for (const Function *caller : w.callers)
      inputs.out << "  called by " << name(*caller)
                 << ", which is left out, too\n";
    break;
  case WhyLive::Undefined:
    inputs.out << "is needed\n";
    break;
  }
  calls(w.path, "  ");
}

void WhyReport::run() {
  const WhyPatterns &asked = inputs.config.why;
  each("--why-live", asked.live, false, &WhyReport::live);
  each("--why-stack", asked.stack, true, &WhyReport::stack);
  each("--why-registers", asked.registers, true, &WhyReport::registers);
  each("--why-shared", asked.shared, true, &WhyReport::shared);
  each("--why-barriers", asked.barriers, true, &WhyReport::barriers);
}

void reportWhy(const Inputs &inputs, Program &program, Resources &resources) {
  if (!inputs.config.why.empty())
    WhyReport(inputs, program, resources).run();
}

} // namespace lld::cuda
