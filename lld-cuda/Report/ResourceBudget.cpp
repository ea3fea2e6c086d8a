//===- ResourceBudget.cpp - --budget: limits for what kernels need --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkBudget() reads a budget file (--budget) and reports an error for each
/// kernel that needs more registers, stack, shared memory, barriers or code
/// than the file allows. ResourceReport.cpp calls it before the image is
/// written, and when --join-reports joins reports of earlier links. A budget is
/// JSON
///
///     {"*gemm*": {"registers": 128, "stack": 0}, "*": {"shared": 49152}}
///
/// or TOML, of which tables, integers and comments are read:
///
///     ["*gemm*"]
///     registers = 128
///     stack = 0
///
/// A pattern is compared with the mangled and the demangled name of a kernel;
/// '*' is any run of characters. All patterns that match a kernel hold. With
/// strict = true in front of them (in JSON: "strict": true) each has to match
/// one.
///
//===----------------------------------------------------------------------===//

#include "Report/ResourceBudget.h"
#include "Explain/Explain.h"
#include "Input/InputFiles.h"
#include "Input/NamePatterns.h"
#include "Inputs.h"
#include "Program.h"
#include "Report/ResourceModel.h"
#include "Report/Why.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/Toml.h"

using namespace llvm;

namespace lld::cuda::report {

namespace {

enum class Quantity { Registers, Stack, Shared, Barriers, Code };

struct QuantityFacts {
  StringLiteral name;
  StringLiteral unit; ///< As a message says it.
};

struct Limit {
  Quantity quantity;
  uint64_t most;
};

struct Rule {
  std::string pattern;
  NamePatterns names;
  SmallVector<Limit, 2> limits;
  bool isUsed = false; ///< Some kernel matches.
};

struct Budget {
  std::vector<Rule> rules;
  bool isStrict = false;
};

} // namespace

/// In the order of the enumeration.
static constexpr QuantityFacts Quantities[] = {
    {"registers", "registers"},
    {"stack", "bytes of stack"},
    {"shared", "bytes of shared memory"},
    {"barriers", "barriers"},
    {"code", "bytes of code, with everything it calls"}};

static void addRule(std::vector<Rule> &rules, StringRef pattern) {
  rules.push_back({pattern.str(), {}, {}});
}

static Error addLimit(std::vector<Rule> &rules, StringRef name, int64_t most) {
  const auto *facts = find_if(
      Quantities, [&](const QuantityFacts &q) { return q.name == name; });
  if (facts == std::end(Quantities))
    return createStringError(
        "unknown limit '" + name +
        "'; known limits are registers, stack, shared, barriers and code");
  if (rules.empty() || most < 0)
    return createStringError(
        "limit '" + name + "' " +
        (most < 0 ? "is negative" : "comes before the first pattern"));
  rules.back().limits.push_back({Quantity(facts - Quantities), uint64_t(most)});
  return Error::success();
}

static Error readJsonRules(StringRef text, Budget &budget) {
  std::vector<Rule> &rules = budget.rules;
  Expected<json::Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  const json::Object *top = value->getAsObject();
  if (!top)
    return createStringError("expected an object of patterns");
  for (const auto &[pattern, limits] : *top) {
    if (StringRef(pattern) == "strict" && limits.getAsBoolean()) {
      budget.isStrict = *limits.getAsBoolean();
      continue;
    }
    const json::Object *list = limits.getAsObject();
    if (!list)
      return createStringError("'" + StringRef(pattern) +
                               "': expected an object of limits");
    addRule(rules, pattern);
    for (const auto &[name, most] : *list) {
      std::optional<int64_t> number = most.getAsInteger();
      if (!number)
        return createStringError("limit '" + StringRef(name) +
                                 "' is not an integer");
      if (Error e = addLimit(rules, name, *number))
        return e;
    }
  }
  // Objects have no order; messages have one.
  llvm::sort(rules, [](const Rule &a, const Rule &b) {
    return a.pattern < b.pattern;
  });
  for (Rule &rule : rules)
    llvm::sort(rule.limits, [](const Limit &a, const Limit &b) {
      return a.quantity < b.quantity;
    });
  return Error::success();
}

static Error readTomlValue(StringRef name, const TomlValue &value,
                           Budget &budget) {
  if (name == "strict") {
    if (!budget.rules.empty() || !value.flag)
      return createStringError(
          "expected strict = true or false, before the first pattern");
    budget.isStrict = *value.flag;
    return Error::success();
  }
  if (!value.integer)
    return createStringError("expected [\"pattern\"] or limit = integer");
  return addLimit(budget.rules, name, *value.integer);
}

static Error readTomlRules(StringRef text, Budget &budget) {
  return readToml(
      text,
      [&](StringRef pattern) {
        addRule(budget.rules, pattern);
        return Error::success();
      },
      [&](StringRef name, const TomlValue &value) {
        return readTomlValue(name, value, budget);
      });
}

static Error readRules(StringRef text, Budget &budget) {
  return text.ltrim().starts_with("{") ? readJsonRules(text, budget)
                                       : readTomlRules(text, budget);
}

Error checkBudgetText(StringRef text) {
  Budget budget;
  return readRules(text, budget);
}

/// Returns what the kernel needs, or nothing if that has no bound.
static std::optional<uint64_t> needs(const Kernel &k, Quantity quantity) {
  switch (quantity) {
  case Quantity::Registers:
    return k.registers.total;
  case Quantity::Stack:
    return k.depth.stack;
  case Quantity::Shared:
    return k.shared;
  case Quantity::Barriers:
    return k.barriers.total;
  case Quantity::Code:
    return k.codeWithCallees.value_or(k.code);
  }
  llvm_unreachable("unknown quantity");
}

/// The calls, and what each callee needs.
static void explainPath(const Inputs &inputs, Why &why, const WhyPath &path,
                        function_ref<uint64_t(const Function &)> needs) {
  constexpr size_t MaxShown = 12;
  for (const WhyStep &step : ArrayRef(path).take_front(MaxShown)) {
    std::string text = inputs.diag.display(step.caller->name);
    const bool isDirect = step.kind == WhyStep::Call;
    text += isDirect ? " calls " : " may call ";
    text += inputs.diag.display(step.callee->name);
    if (!isDirect)
      text += " through a pointer";
    text += ", which needs " + std::to_string(needs(*step.callee));
    const std::string places = describePlaces(why.linesOf(step));
    if (!places.empty())
      text += ", at " + places;
    inputs.diag.explain(text);
  }
  if (path.size() > MaxShown)
    inputs.diag.explain("... " + Twine(path.size() - MaxShown) +
                        " more calls ...");
}

static void explainOrigin(const Inputs &inputs, Why &why,
                          const WhyOrigin &origin,
                          function_ref<uint64_t(const Function &)> needs) {
  if (!origin.origin || origin.total == origin.own)
    return;
  inputs.diag.explain("the kernel itself needs " + Twine(origin.own));
  explainPath(inputs, why, origin.path, needs);
}

/// Explains a violation with what a report that was written earlier knows.
static void explainFromReport(const Inputs &inputs, const Image &image,
                              const Kernel &k, const Limit &limit) {
  auto explainInherited = [&](const Inherited &value) {
    if (value.from.empty())
      return;
    inputs.diag.explain("the kernel itself needs " + Twine(value.own));
    inputs.diag.explain(inputs.diag.display(value.from) +
                        ", which it calls, needs " + Twine(value.total));
  };
  switch (limit.quantity) {
  case Quantity::Registers:
    return explainInherited(k.registers);
  case Quantity::Barriers:
    return explainInherited(k.barriers);
  case Quantity::Stack: {
    constexpr size_t MaxShown = 12;
    if (k.depth.callee < 0)
      return;
    inputs.diag.explain("the kernel itself needs " + Twine(k.frame));
    for (uint32_t f : image.deepestCalls(k.depth.callee, MaxShown))
      inputs.diag.explain("calls " +
                          inputs.diag.display(image.functions[f].symbol) +
                          ", which needs " + Twine(image.functions[f].frame));
    return;
  }
  case Quantity::Shared:
    return;
  case Quantity::Code:
    inputs.diag.explain("the kernel itself has " + Twine(k.code));
  }
}

static void explainViolation(const Inputs &inputs, Program &program,
                             Why *wherefrom, const Image &image,
                             const Kernel &k, const Limit &limit) {
  if (!inputs.diag.explains(DiagId::ResourceBudget))
    return;
  if (!wherefrom)
    return explainFromReport(inputs, image, k, limit);
  Why &why = *wherefrom;
  const Function &kernel = program.functions[k.ordinal];
  switch (limit.quantity) {
  case Quantity::Registers:
    return explainOrigin(
        inputs, why, why.registers(kernel),
        [&](const Function &f) { return why.ownRegisters(f); });
  case Quantity::Barriers:
    return explainOrigin(inputs, why, why.barriers(kernel),
                         [&](const Function &f) { return why.ownBarriers(f); });
  case Quantity::Stack: {
    const WhyStack stack = why.stack(kernel);
    auto frame = [&](const Function &f) { return why.frameSize(f); };
    inputs.diag.explain("the kernel itself needs " + Twine(frame(kernel)));
    explainPath(inputs, why, stack.path, frame);
    return explainPath(inputs, why, stack.cycle, frame);
  }
  case Quantity::Shared:
    return explainSharedMemory(inputs, program, kernel, k.shared, limit.most);
  case Quantity::Code:
    inputs.diag.explain("the kernel itself has " + Twine(k.code));
    return;
  }
}

static void checkKernel(const Inputs &inputs, Program &program, Why *why,
                        const Image &image, const Kernel &k, const Rule &rule,
                        StringRef path) {
  for (const Limit &limit : rule.limits) {
    const std::optional<uint64_t> needed = needs(k, limit.quantity);
    if (needed && *needed <= limit.most)
      continue;
    const std::string amount =
        needed ? std::to_string(*needed) + " " +
                     Quantities[size_t(limit.quantity)].unit.str()
               : "a stack of unknown size";
    inputs.diag.report(DiagId::ResourceBudget,
                       {"kernel ", diag::symbol(k.symbol), " in ",
                        diag::file(k.object < image.objects.size()
                                       ? image.objects[k.object].label
                                       : image.output),
                        " needs ", StringRef(amount), "; ", diag::file(path),
                        " allows ", limit.most, " for ",
                        diag::quoted(rule.pattern)});
    explainViolation(inputs, program, why, image, k, limit);
  }
}

/// A check that holds for no kernel is switched off, as by a kernel's new name.
static void reportUnused(const Inputs &inputs, const Budget &budget,
                         const Image &image, StringRef path) {
  for (const Rule &rule : budget.rules) {
    if (rule.isUsed)
      continue;
    inputs.diag.report(budget.isStrict ? DiagId::ResourceBudget
                                       : DiagId::PatternUnused,
                       {"no kernel of ", diag::quoted(image.arch), " matches ",
                        diag::quoted(rule.pattern), ", for which ",
                        diag::file(path), " has limits"});
  }
}

void checkBudget(const Inputs &inputs, Program &program, Resources *resources,
                 const Image &image, StringRef path) {
  const OpenedFile file = openFile(inputs, path.str());
  if (!file.buffer) {
    inputs.diag.report(openError(file, path));
    return;
  }
  Budget budget;
  const StringRef text = file.buffer->getBuffer();
  if (Error e = readRules(text, budget)) {
    inputs.diag.report(DiagId::InvalidValue, {"Budget ", diag::file(path), ": ",
                                              toString(std::move(e))});
    return;
  }
  // They refer to the patterns, which stay where they are from here on.
  for (Rule &rule : budget.rules)
    rule.names.add(rule.pattern);
  std::optional<Why> why;
  if (resources)
    why.emplace(inputs, program, *resources);
  for (const Kernel &k : image.kernels) {
    std::optional<std::string> demangled;
    for (Rule &rule : budget.rules) {
      bool matches = rule.names.matches(k.symbol);
      if (!matches) {
        if (!demangled)
          demangled = demangleDeviceName(k.symbol);
        matches = rule.names.matches(*demangled);
      }
      rule.isUsed |= matches;
      if (matches)
        checkKernel(inputs, program, why ? &*why : nullptr, image, k, rule,
                    path);
    }
  }
  reportUnused(inputs, budget, image, path);
}

} // namespace lld::cuda::report
