//===- ResourceModel.cpp - What kernels need, and where it comes from -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All is linear in the kernels: where a number comes from is found by going
/// down the call graph's components along the largest values.
///
//===----------------------------------------------------------------------===//

#include "Report/ResourceModel.h"
#include "Ctx.h"
#include "Resources.h"
#include "lld-cuda/Demangle/Demangle.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda::report {

namespace {

class Measurement {
public:
  Measurement(Ctx &ctx, Resources &res) : ctx(ctx), res(res) {}
  Image run();

private:
  void findClosures();
  void measureObjects(Image &image);
  void measureCode(Image &image);
  void measureKernel(Kernel &k, Function &f);
  void findStackPath(Kernel &k, const Function &f);
  void visitReached(Kernel &k, const Function &f);
  static void placeShared(Kernel &k, const Function &f, const Variable &v);
  void setOccupancy(Kernel &k, const Function &f);
  void findSource(Inherited &value, const Function &kernel,
                  ArrayRef<uint32_t> values,
                  function_ref<uint32_t(const Function &)> own);

  uint32_t registersOf(const Function &f) {
    return res.of(f).registers.value_or(0);
  }
  uint32_t barriersOf(const Function &f) {
    const FunctionResources &r = res.of(f);
    return std::max(r.barriers.value_or(0), r.flagBarriers);
  }
  /// Of the view that is shown.
  uint64_t codeOf(const Function &f) const {
    return f.text && f.defined ? f.text->size : 0;
  }

  Ctx &ctx;
  Resources &res;
  // By component: the largest value that it reaches.
  std::vector<uint32_t> registers, barriers;
  std::vector<uint64_t> stack; ///< The deepest sum of frames.
  std::vector<uint64_t> ownCode;
  std::vector<uint32_t> visited; ///< By component: the last visit's number.
  uint32_t visit = 0;
  /// Steps that sums over what is called may take, all together.
  uint64_t stepsLeft = 0;
};

} // namespace

static uint64_t sizeOf(const OutputSection *sec) {
  return sec && sec->written ? sec->size : 0;
}

void Measurement::findClosures() {
  const CallGraph &graph = ctx.callGraph;
  auto maximum = [](uint32_t &into, uint32_t from) {
    into = std::max(into, from);
  };
  registers = graph.closure<uint32_t>(
      0, [&](Function &f, uint32_t &v) { v = std::max(v, registersOf(f)); },
      maximum);
  barriers = graph.closure<uint32_t>(
      0, [&](Function &f, uint32_t &v) { v = std::max(v, barriersOf(f)); },
      maximum);
  stack.resize(graph.componentCount());
  ownCode.resize(graph.componentCount());
  visited.resize(graph.componentCount());
  for (unsigned c = 0; c != graph.componentCount(); ++c) {
    for (uint32_t s : graph.successors(c))
      stack[c] = std::max(stack[c], stack[s]);
    for (Function *f : graph.members(c)) {
      stack[c] += res.of(*f).frameSize;
      ownCode[c] += codeOf(*f);
    }
  }
  constexpr uint64_t StepsOfFunction = 64, LeastSteps = 1 << 20;
  stepsLeft = LeastSteps + StepsOfFunction * ctx.functions.size();
}

/// The nearest function along the way down that has the largest value itself.
void Measurement::findSource(Inherited &value, const Function &kernel,
                             ArrayRef<uint32_t> values,
                             function_ref<uint32_t(const Function &)> own) {
  if (value.total <= value.own)
    return;
  const CallGraph &graph = ctx.callGraph;
  unsigned c = graph.component(kernel);
  for (;;) {
    for (const Function *f : graph.members(c))
      if (own(*f) == value.total) {
        value.from = f->name;
        return;
      }
    const ArrayRef<uint32_t> next = graph.successors(c);
    const uint32_t *s =
        find_if(next, [&](uint32_t s) { return values[s] == value.total; });
    if (s == next.end())
      return;
    c = *s;
  }
}

/// Down the deepest sums, or into the nearest cycle.
void Measurement::findStackPath(Kernel &k, const Function &f) {
  constexpr size_t MaxShown = 16;
  const CallGraph &graph = ctx.callGraph;
  const bool isCyclic = !k.stack;
  k.path.push_back({f.name, res.of(f).frameSize});
  for (unsigned c = graph.component(f); k.path.size() != MaxShown;) {
    const ArrayRef<uint32_t> next = graph.successors(c);
    const uint32_t *s =
        isCyclic ? find_if(next,
                           [&](uint32_t s) {
                             return !graph.members(s).empty()
                                        ? graph.reachesCycle(
                                              *graph.members(s).front())
                                        : !graph.successors(s).empty();
                           })
                 : std::max_element(next.begin(), next.end(),
                                    [&](uint32_t a, uint32_t b) {
                                      return stack[a] < stack[b];
                                    });
    if (s == next.end() || (!isCyclic && !stack[*s]))
      break;
    c = *s;
    for (const Function *member : graph.members(c))
      if (k.path.size() != MaxShown)
        k.path.push_back({member->name, res.of(*member).frameSize});
  }
  if (k.path.size() == 1)
    k.path.clear();
}

/// The code of all components that one reaches, itself included, and their
/// shared variables.
void Measurement::visitReached(Kernel &k, const Function &f) {
  const CallGraph &graph = ctx.callGraph;
  ++visit;
  SmallVector<unsigned, 32> queue{graph.component(f)};
  visited[queue.front()] = visit;
  uint64_t sum = 0;
  while (!queue.empty()) {
    const unsigned c = queue.pop_back_val();
    sum += ownCode[c];
    if (k.shared)
      for (const Function *g : graph.members(c))
        for (const Variable *v : g->sharedUses)
          placeShared(k, f, *v);
    const ArrayRef<uint32_t> next = graph.successors(c);
    if (stepsLeft < next.size())
      return;
    stepsLeft -= next.size();
    for (uint32_t s : next)
      if (std::exchange(visited[s], visit) != visit)
        queue.push_back(s);
  }
  k.codeWithCallees = sum;
}

/// Its own variables, and those at common addresses.
void Measurement::placeShared(Kernel &k, const Function &f, const Variable &v) {
  if (v.address && v.size && !v.isReserved)
    k.places.push_back({v.name, *v.address, v.size, v.section != f.shared});
}

static void sortPlaces(Kernel &k) {
  auto key = [](const SharedPlace &p) {
    return std::tuple(p.offset, p.size, p.symbol);
  };
  llvm::sort(k.places, [&](const SharedPlace &a, const SharedPlace &b) {
    return key(a) < key(b);
  });
  k.places.erase(std::unique(k.places.begin(), k.places.end(),
                             [&](const SharedPlace &a, const SharedPlace &b) {
                               return key(a) == key(b);
                             }),
                 k.places.end());
}

/// The threads of a block that the source promises, or the usual 256.
static uint32_t findBlockSize(const Function &f, View view) {
  constexpr uint32_t Usual = 256;
  uint32_t most = Usual;
  for (const InfoRecord &r : f.infoRecords[unsigned(view)]) {
    const NvInfoRecord &record = r.record;
    if ((record.code != EIATTR_REQNTID && record.code != EIATTR_MAX_THREADS) ||
        !record.hasPayload() || record.wordCount() < 3)
      continue;
    const uint64_t threads =
        uint64_t(record.word(0)) * record.word(1) * record.word(2);
    if (record.code == EIATTR_REQNTID)
      return std::min<uint64_t>(threads, 1024);
    most = std::min<uint64_t>(threads, 1024);
  }
  return most;
}

void Measurement::setOccupancy(Kernel &k, const Function &f) {
  BlockNeeds needs;
  needs.threads = findBlockSize(f, res.view);
  needs.registers = k.registers.total;
  needs.shared = k.shared - std::min(k.shared, k.sharedReserved);
  k.occupancy = computeOccupancy(ctx.sm(), needs);
}

void Measurement::measureKernel(Kernel &k, Function &f) {
  const FunctionResources &own = res.of(f);
  k.function = &f;
  k.symbol = f.name;
  k.object = f.definedIn;
  k.registers.own = k.registers.total = registersOf(f);
  k.barriers.own = k.barriers.total = barriersOf(f);
  k.frame = own.frameSize;
  k.stack = own.frameSize;
  k.code = codeOf(f);
  if (const KernelResources *kernel = res.kernelOf(f);
      kernel && !ctx.isRelocatable()) {
    k.registers.total = kernel->registers;
    k.barriers.total =
        kernel->values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0);
    k.stack = kernel->minStackSize;
    if (kernel->minStackSize == UnboundedStack)
      k.stack.reset();
    findSource(k.registers, f, registers,
               [&](const Function &g) { return registersOf(g); });
    findSource(k.barriers, f, barriers,
               [&](const Function &g) { return barriersOf(g); });
    if (!k.stack || *k.stack > k.frame)
      findStackPath(k, f);
  }
  k.shared = sizeOf(f.shared);
  if (k.shared && !ctx.config.disableSmemReservation)
    k.sharedReserved = getArchitectureLimits(ctx.sm())->reservedShared;
  k.hasDynamicShared = f.dynamicSharedOffset.has_value();
  if (!ctx.isRelocatable())
    visitReached(k, f);
  if (k.shared)
    for (const Variable *v : f.ownShared)
      if (v->section == f.shared)
        placeShared(k, f, *v);
  sortPlaces(k);
  for (auto [bank, sec] :
       {std::pair(0u, f.constant0), std::pair(2u, f.constant2)})
    if (uint64_t size = sizeOf(sec))
      k.constants.push_back({bank, size});
  if (f.reachesTextures) {
    k.textures = ctx.textures.size();
    k.surfaces = ctx.surfaces.size();
    k.samplers = ctx.samplers.size();
  }
  setOccupancy(k, f);
}

void Measurement::measureObjects(Image &image) {
  DenseMap<const CubinFile *, const InputFile *> archives;
  for (const InputFile &file : ctx.inputs)
    for (const InputUnit &unit : file.units)
      if (unit.isMember)
        for (const LoadedCubin &cubin : unit.cubins)
          archives[&cubin.file] = &file;
  image.objects.resize(ctx.objects.size());
  for (size_t i = 0; i != ctx.objects.size(); ++i) {
    const ObjectFile &obj = ctx.objects[i];
    Object &o = image.objects[i];
    o.label = obj.label;
    if (const InputFile *archive = archives.lookup(&obj.file))
      o.library = archive->path;
    // Definitions that lost against an earlier one.
    for (unsigned s : obj.lost.set_bits()) {
      ++o.droppedFunctions;
      o.droppedCode += obj.inputSymbol(s).st_size;
    }
  }
  for (const Variable &v : ctx.variables)
    if (v.defined && !v.isShared() && v.definedIn < image.objects.size())
      image.objects[v.definedIn].data += v.size;
}

void Measurement::measureCode(Image &image) {
  for (Function &f : ctx.functions) {
    if (!f.defined || !f.text || f.definedIn >= image.objects.size())
      continue;
    Object &o = image.objects[f.definedIn];
    const uint64_t size = codeOf(f);
    if (!f.text->written) {
      ++o.droppedFunctions;
      o.droppedCode += f.size;
      continue;
    }
    (f.isKernel() ? o.kernels : o.functions) += 1;
    o.code += size;
    if (!f.isKernel())
      image.functions.push_back(
          {f.name, f.definedIn, registersOf(f), res.of(f).frameSize, size});
  }
  for (const Object &o : image.objects) {
    image.code += o.code;
    image.droppedCode += o.droppedCode;
  }
}

Image Measurement::run() {
  Image image;
  image.arch = ctx.config.archName;
  image.output = ctx.config.output;
  image.globalMemory = sizeOf(findNamedSection(ctx, SectionKind::Global)) +
                       sizeOf(findNamedSection(ctx, SectionKind::GlobalInit));
  image.constantMemory =
      sizeOf(findNamedSection(ctx, SectionKind::UserConstants));
  findClosures();
  measureObjects(image);
  measureCode(image);
  const std::vector<Function *> kernels = ctx.kernels();
  image.kernels.resize(kernels.size());
  for (size_t i = 0; i != kernels.size(); ++i)
    measureKernel(image.kernels[i], *kernels[i]);
  auto byName = [](const auto &a, const auto &b) {
    return a.symbol < b.symbol;
  };
  llvm::sort(image.kernels, byName);
  llvm::sort(image.functions, byName);
  return image;
}

Image measureImage(Ctx &ctx, Resources &resources) {
  return Measurement(ctx, resources).run();
}

} // namespace lld::cuda::report
