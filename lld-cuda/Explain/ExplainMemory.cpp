//===- ExplainMemory.cpp - The largest users of a full memory -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions explain why shared memory or a bank of constants is too
/// full: below the error they list the ten variables, or the ten functions with
/// compiler's constants, that take most of it, with their objects and, where
/// there is debug information, their lines in the source. The passes that lay
/// out memory (Layout/) call them, and --budget does (ResourceBudget.cpp).
///
/// warnDuplicateShared() is a warning by itself, which layoutImage() in
/// Link.cpp asks for: a weak kernel that several objects define gets the shared
/// arrays of all copies [shared-of-weak-kernels], so 16 KB become 48 KB with
/// three of them.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Explain/SourcePlaces.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Program.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
struct Contributor {
  const Variable *variable;
  const Function *user; ///< Null: not to be shown.
};
} // namespace

static void explainContributors(const Inputs &inputs, Program &program,
                                std::vector<Contributor> &list, uint64_t size,
                                uint64_t limit) {
  constexpr size_t MaxShown = 10;
  llvm::stable_sort(list, [](const Contributor &a, const Contributor &b) {
    return a.variable->size > b.variable->size;
  });
  inputs.diag.explain(Twine(size - limit) +
                      " bytes too many; the largest variables:");
  for (size_t i = 0; i != std::min(list.size(), MaxShown); ++i) {
    const Variable &v = *list[i].variable;
    std::string text = formatv("{0,10} bytes  {1} in '{2}'", v.size,
                               inputs.diag.display(v.name),
                               program.objects[v.definedIn].label);
    std::optional<SourceLine> place =
        SourcePlaces::of(inputs, program).definition(v);
    text += describePlace(" (", place, ")");
    if (list[i].user) {
      text += ", used by " + inputs.diag.display(list[i].user->name);
      // Without .debug_info the first use is the nearest.
      if (!place) {
        place = SourcePlaces::of(inputs, program).reference(*list[i].user, v);
        text += describePlace(" (", place, ")");
      }
    }
    inputs.diag.explain(text, orNull(place));
  }
  if (list.size() > MaxShown)
    inputs.diag.explain("and " + Twine(list.size() - MaxShown) + " more");
}

void explainSharedMemory(const Inputs &inputs, Program &program,
                         const Function &kernel, uint64_t size,
                         uint64_t limit) {
  if (!inputs.diag.explains(DiagId::SharedLimit))
    return;
  std::vector<Contributor> list;
  DenseSet<const Variable *> seen;
  auto add = [&](const Variable *v, const Function &user) {
    if (v->size && seen.insert(v).second)
      list.push_back({v, &user});
  };
  for (const Variable *v : kernel.ownShared)
    add(v, kernel);
  for (const Function *f : program.callGraph.reachable(kernel))
    for (const Variable *v : f->sharedUses)
      add(v, *f);
  explainContributors(inputs, program, list, size, limit);
}

/// The arrays of a kernel's body are local, so that each copy of a weak kernel
/// brings its own, and all of them are allocated [shared-of-weak-kernels].
void warnDuplicateShared(const Inputs &inputs, Program &program) {
  if (inputs.isRelocatable() || !inputs.config.explain)
    return;
  for (Function &f : program.functions) {
    if (!f.isCounted || !f.reachable || f.ownShared.size() < 2)
      continue;
    uint64_t all = 0, own = 0;
    SmallVector<uint32_t> files;
    for (const Variable *v : f.ownShared) {
      all += v->size;
      if (v->definedIn == f.definedIn)
        own += v->size;
      if (files.empty() || files.back() != v->definedIn)
        files.push_back(v->definedIn);
    }
    if (own == all)
      continue;
    inputs.diag.report(DiagId::DuplicateShared,
                       {"Kernel ", diag::symbol(f.name), " has ", all,
                        " bytes of shared memory instead of ", own,
                        ", since each of its ", files.size(),
                        " copies adds its own"});
    for (uint32_t file : ArrayRef(files).take_front(4))
      inputs.diag.explain("copy in '" + program.objects[file].label + "'");
    if (files.size() > 4)
      inputs.diag.explain("and " + Twine(files.size() - 4) + " more");
    inputs.diag.explain("declare the kernel's arrays at module scope as .weak, "
                        "as nvcc does, or compile the kernel in one file only");
  }
}

void explainCompilerConstants(const Inputs &inputs, Program &program,
                              const Function &kernel, uint64_t limit) {
  if (!inputs.diag.explains())
    return;
  std::vector<std::pair<uint64_t, const Function *>> list;
  for (const Function *f : program.callGraph.reachable(kernel))
    if (f != &kernel && f->constant2 && f->constant2->size)
      list.push_back({f->constant2->size, f});
  llvm::stable_sort(
      list, [](const auto &a, const auto &b) { return a.first > b.first; });
  const uint64_t size = kernel.constant2->size;
  inputs.diag.explain(
      Twine(size > limit ? size - limit : 0) +
      " bytes too many; the functions with the most constants:");
  constexpr size_t MaxShown = 10;
  for (auto [bytes, f] : ArrayRef(list).take_front(MaxShown)) {
    const auto place = SourcePlaces::of(inputs, program).definition(*f);
    inputs.diag.explain(formatv("{0,10} bytes  {1} in '{2}'{3}", bytes,
                                inputs.diag.display(f->name),
                                program.objects[f->definedIn].label,
                                describePlace(" (", place, ")"))
                            .str(),
                        orNull(place));
  }
}

void explainSection(const Inputs &inputs, Program &program,
                    const OutputSection &section, uint64_t limit) {
  if (!inputs.diag.explains())
    return;
  std::vector<Contributor> list;
  for (const Variable &v : program.variables)
    if (v.section == &section && v.size && !v.isLeftOut)
      list.push_back({&v, nullptr});
  explainContributors(inputs, program, list, section.size, limit);
}

} // namespace lld::cuda
