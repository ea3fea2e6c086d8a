//===- ResourceModel.cpp - What kernels need, and where it comes from -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// measureImage() measures what each kernel of a link needs (registers, stack,
/// barriers, shared memory, code) and which of its callees is the reason.
/// ResourceReport.cpp calls it for --resource-report and --budget, when it is
/// known what kernels inherit and before the image is written.
///
/// One pass over the components of the call graph finds where each number comes
/// from; a kernel then only looks at its own component. Sums over everything
/// that a kernel reaches are known at once where calls form chains; elsewhere
/// they are added up, once for each component that has kernels, and left out if
/// that would take too many steps.
///
//===----------------------------------------------------------------------===//

#include "Report/ResourceModel.h"
#include "Analysis/Resources.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Program.h"
#include "lld-cuda/FinalCode/SourceLines.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda::report {

namespace {

/// A component of the call graph, with all that it reaches.
struct Reach {
  uint32_t registers = 0, barriers = 0;
  // The nearest function on the way down with that number.
  const Function *registersFrom = nullptr, *barriersFrom = nullptr;
  uint64_t stack = 0; ///< The deepest sum of frames.
  uint64_t ownCode = 0;
  std::optional<uint64_t> code;
  /// The function of the component that its callers call.
  const Function *entry = nullptr;
  const Function *deepest = nullptr; ///< The callee that needs the most stack.
  bool isCyclic = false;             ///< Or reaches a cycle.
  bool usesShared = false;           ///< Variables in shared memory.
};

class LinkMeasurement {
public:
  LinkMeasurement(const Inputs &inputs, Program &program, Resources &res,
                  StringSaver &names, SourcesOf wanted)
      : inputs(inputs), program(program), res(res), names(names),
        wanted(wanted) {}
  Image run();

private:
  void measureReach();
  void measureComponent(unsigned c);
  const Function *findCycle(unsigned c) const;
  void measureObjects();
  void measureCode();
  void findSources();
  void findSources(const ObjectFile &obj);
  void measureKernel(Kernel &k, Function &f);
  void inherit(Kernel &k, const Function &f, const KernelResources &kernel);
  void addCallees(Kernel &k, unsigned component);
  void placeShared(Kernel &k, const Function &f);
  void placeReached(const Function &f, unsigned component);
  void addPlace(const Function &f, const Variable &v);
  void setOccupancy(Kernel &k, const Function &f);
  Depth depthOf(const Function &f) const;

  uint32_t registersOf(const Function &f) const {
    return res.of(f).registers.value_or(0);
  }
  uint32_t barriersOf(const Function &f) const {
    const FunctionResources &r = res.of(f);
    return std::max(r.barriers.value_or(0), r.flagBarriers);
  }
  /// The size of a function's code in the view that is shown.
  uint64_t codeOf(const Function &f) const {
    return f.text && f.defined ? f.text->size : 0;
  }
  template <typename Visit>
  void forEachReached(unsigned component, Visit visit);

  const Inputs &inputs;
  Program &program;
  Resources &res;
  StringSaver &names;
  const SourcesOf wanted;
  Image image;
  std::vector<Reach> reach;        ///< By component.
  std::vector<Source> sources;     ///< By ordinal, if there are any.
  std::vector<int32_t> positions;  ///< By ordinal: in Image::functions.
  std::vector<uint32_t> visited;   ///< By component: the last visit.
  SmallVector<unsigned, 32> queue; ///< Components.
  uint32_t visit = 0;
  /// Steps that sums over what is called may take, all together.
  uint64_t stepsLeft = 0;
  uint32_t reservedShared = 0;
  BlockNeeds lastNeeds; ///< Neighbours are often alike.
  std::optional<Occupancy> lastOccupancy;
};

} // namespace

//===----------------------------------------------------------------------===//
// The call graph
//===----------------------------------------------------------------------===//

/// Returns the next function of a cycle, or the callee that leads to a cycle.
const Function *LinkMeasurement::findCycle(unsigned c) const {
  const CallGraph &graph = program.callGraph;
  const ArrayRef<Function *> members = graph.members(c);
  for (const Function *f : members)
    for (const Function *g : f->callees)
      if (graph.component(*g) == c)
        return g;
  for (uint32_t s : graph.successors(c))
    if (reach[s].isCyclic)
      return reach[s].entry;
  return members.empty() ? nullptr : members.front();
}

void LinkMeasurement::measureComponent(unsigned c) {
  const CallGraph &graph = program.callGraph;
  Reach &r = reach[c];
  const ArrayRef<Function *> members = graph.members(c);
  for (const Function *f : members) {
    const FunctionResources &own = res.of(*f);
    if (const uint32_t n = registersOf(*f); n > r.registers) {
      r.registers = n;
      r.registersFrom = f;
    }
    if (const uint32_t n = barriersOf(*f); n > r.barriers) {
      r.barriers = n;
      r.barriersFrom = f;
    }
    r.stack += own.frameSize;
    r.ownCode += codeOf(*f);
    r.usesShared |= !f->sharedUses.empty();
  }
  r.isCyclic = !members.empty() && graph.reachesCycle(*members.front());
  const ArrayRef<uint32_t> next = graph.successors(c);
  uint64_t deepest = 0;
  for (uint32_t s : next) {
    const Reach &callee = reach[s];
    if (callee.registers > r.registers) {
      r.registers = callee.registers;
      r.registersFrom = callee.registersFrom;
    }
    if (callee.barriers > r.barriers) {
      r.barriers = callee.barriers;
      r.barriersFrom = callee.barriersFrom;
    }
    if (callee.stack > deepest) {
      deepest = callee.stack;
      r.deepest = callee.entry;
    }
    r.isCyclic |= callee.isCyclic;
    r.usesShared |= callee.usesShared;
  }
  r.stack += deepest;
  if (next.empty())
    r.code = r.ownCode;
  else if (next.size() == 1 && reach[next.front()].code)
    r.code = r.ownCode + *reach[next.front()].code;
  if (r.isCyclic)
    r.deepest = findCycle(c);
  r.entry = members.empty() ? r.deepest : members.front();
}

void LinkMeasurement::measureReach() {
  const unsigned count = program.callGraph.componentCount();
  reach.resize(count);
  for (unsigned c = 0; c != count; ++c)
    measureComponent(c);
  visited.resize(count);
  constexpr uint64_t StepsOfFunction = 64, LeastSteps = 1 << 20;
  stepsLeft = LeastSteps + StepsOfFunction * program.functions.size();
}

/// Returns the stack of a function and the callee through which it is reached:
/// the one that needs the most or, in a cycle, the function's callee there.
Depth LinkMeasurement::depthOf(const Function &f) const {
  const CallGraph &graph = program.callGraph;
  const unsigned c = graph.component(f);
  const Reach &r = reach[c];
  Depth depth;
  const Function *callee = r.deepest;
  if (!r.isCyclic)
    depth.stack = r.stack;
  else if (graph.members(c).size() > 1)
    for (const Function *g : f.callees)
      if (graph.component(*g) == c) {
        callee = g;
        break;
      }
  if (callee)
    depth.callee = positions[callee->ordinal];
  return depth;
}

/// Visits all components that one reaches, itself included, each once.
/// `visitOne` returns whether to go on below it.
template <typename Visit>
void LinkMeasurement::forEachReached(unsigned component, Visit visitOne) {
  const CallGraph &graph = program.callGraph;
  ++visit;
  queue.assign(1, component);
  visited[component] = visit;
  while (!queue.empty()) {
    const unsigned c = queue.pop_back_val();
    if (!visitOne(c))
      continue;
    const ArrayRef<uint32_t> next = graph.successors(c);
    if (stepsLeft < next.size()) {
      stepsLeft = 0;
      return;
    }
    stepsLeft -= next.size();
    for (uint32_t s : next)
      if (std::exchange(visited[s], visit) != visit)
        queue.push_back(s);
  }
}

/// Sums up the code of all functions that the kernel reaches, unless that would
/// take too long.
void LinkMeasurement::addCallees(Kernel &k, unsigned component) {
  Reach &r = reach[component];
  if (!r.code && stepsLeft) {
    uint64_t sum = 0;
    forEachReached(component, [&](unsigned c) {
      sum += reach[c].ownCode;
      return true;
    });
    if (stepsLeft)
      r.code = sum;
  }
  k.codeWithCallees = r.code;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Adds a shared variable: one of the kernel's own, or one at an address that
/// kernels have in common.
void LinkMeasurement::addPlace(const Function &f, const Variable &v) {
  if (v.address && v.size && !v.isReserved)
    image.places.push_back({v.name, *v.address, v.size, v.section != f.shared});
}

void LinkMeasurement::placeReached(const Function &f, unsigned component) {
  forEachReached(component, [&](unsigned c) {
    if (!reach[c].usesShared)
      return false;
    for (const Function *g : program.callGraph.members(c))
      for (const Variable *v : g->sharedUses)
        addPlace(f, *v);
    return true;
  });
}

void LinkMeasurement::placeShared(Kernel &k, const Function &f) {
  k.firstPlace = image.places.size();
  if (!inputs.isRelocatable())
    placeReached(f, program.callGraph.component(f));
  for (const Variable *v : f.ownShared)
    if (v->section == f.shared)
      addPlace(f, *v);
  const auto begin = image.places.begin() + k.firstPlace;
  auto key = [](const SharedPlace &p) {
    return std::tuple(p.offset, p.size, p.symbol);
  };
  std::sort(begin, image.places.end(),
            [&](const SharedPlace &a, const SharedPlace &b) {
              return key(a) < key(b);
            });
  image.places.erase(
      std::unique(begin, image.places.end(),
                  [&](const SharedPlace &a, const SharedPlace &b) {
                    return key(a) == key(b);
                  }),
      image.places.end());
  k.placeCount = image.places.size() - k.firstPlace;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The threads of a block that the source promises, or the usual number.
static uint32_t findBlockSize(const Function &f, View view) {
  uint32_t most = UsualBlockSize;
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

void LinkMeasurement::setOccupancy(Kernel &k, const Function &f) {
  BlockNeeds needs;
  needs.threads = findBlockSize(f, res.view);
  needs.registers = k.registers.total;
  needs.shared = k.shared - k.sharedReserved;
  if (needs != lastNeeds) {
    lastNeeds = needs;
    lastOccupancy = computeOccupancy(inputs.sm(), needs);
  }
  k.occupancy = lastOccupancy;
}

void LinkMeasurement::inherit(Kernel &k, const Function &f,
                              const KernelResources &kernel) {
  const unsigned component = program.callGraph.component(f);
  const Reach &r = reach[component];
  auto take = [](Inherited &value, uint32_t total, uint32_t reached,
                 const Function *from) {
    value.total = total;
    // A single kernel has the barriers of functions that it doesn't call, too.
    if (total > value.own && total == reached)
      value.from = from->name;
  };
  take(k.registers, kernel.registers, r.registers, r.registersFrom);
  take(k.barriers, kernel.values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0),
       r.barriers, r.barriersFrom);
  k.depth = depthOf(f);
  k.depth.stack = kernel.minStackSize;
  if (kernel.minStackSize == UnboundedStack)
    k.depth.stack.reset();
  else if (*k.depth.stack <= k.frame)
    k.depth.callee = -1;
  addCallees(k, component);
}

void LinkMeasurement::measureKernel(Kernel &k, Function &f) {
  k.ordinal = f.ordinal;
  k.symbol = f.name;
  k.object = f.definedIn;
  k.registers.own = k.registers.total = registersOf(f);
  k.barriers.own = k.barriers.total = barriersOf(f);
  k.frame = res.of(f).frameSize;
  k.depth.stack = k.frame;
  k.code = codeOf(f);
  if (!sources.empty())
    k.source = sources[f.ordinal];
  if (!inputs.isRelocatable())
    if (const KernelResources *kernel = res.kernelOf(f))
      inherit(k, f, *kernel);
  k.shared = writtenSize(f.shared);
  k.hasDynamicShared = f.dynamicSharedOffset.has_value();
  if (k.shared) {
    k.sharedReserved = std::min<uint64_t>(k.shared, reservedShared);
    placeShared(k, f);
  }
  k.parameters = writtenSize(f.constant0);
  k.literals = writtenSize(f.constant2);
  if (f.reachesTextures) {
    k.textures = program.textures.size();
    k.surfaces = program.surfaces.size();
    k.samplers = program.samplers.size();
  }
  setOccupancy(k, f);
}

//===----------------------------------------------------------------------===//
// Objects and their functions
//===----------------------------------------------------------------------===//

void LinkMeasurement::measureObjects() {
  DenseMap<const CubinFile *, const InputFile *> archives;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      if (unit.isMember)
        for (const LoadedCubin &cubin : unit.holds.cubins)
          archives[&cubin.file] = &file;
  image.objects.resize(program.objects.size());
  for (size_t i = 0; i != image.objects.size(); ++i) {
    const ObjectFile &obj = program.objects[i];
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
  for (const Variable &v : program.variables)
    if (v.defined && !v.isShared() && v.definedIn < image.objects.size())
      image.objects[v.definedIn].data += v.size;
}

/// Sorts by name. The names of a link mostly begin alike, so what follows the
/// common beginning is compared first.
static std::vector<Function *> sortByName(std::vector<Function *> functions) {
  if (llvm::is_sorted(functions, [](const Function *a, const Function *b) {
        return a->name < b->name;
      }))
    return functions;
  const StringRef first = functions.front()->name;
  size_t common = first.size();
  for (const Function *f : functions) {
    common = std::min(common, f->name.size());
    if (std::memcmp(f->name.data(), first.data(), common) != 0)
      common =
          std::mismatch(first.begin(), first.begin() + common, f->name.begin())
              .first -
          first.begin();
  }
  std::vector<std::pair<uint64_t, Function *>> keyed;
  keyed.reserve(functions.size());
  for (Function *f : functions) {
    const StringRef rest = f->name.drop_front(common).take_front(8);
    char bytes[8] = {};
    std::memcpy(bytes, rest.data(), rest.size());
    keyed.push_back({support::endian::read64be(bytes), f});
  }
  // No two functions have one name but for static ones, whose order is that of
  // the link.
  llvm::sort(keyed, [](const auto &a, const auto &b) {
    if (a.first != b.first)
      return a.first < b.first;
    if (int order = a.second->name.compare(b.second->name))
      return order < 0;
    return a.second->ordinal < b.second->ordinal;
  });
  for (size_t i = 0; i != keyed.size(); ++i)
    functions[i] = keyed[i].second;
  return functions;
}

void LinkMeasurement::measureCode() {
  std::vector<Function *> inImage;
  for (Function &f : program.functions) {
    if (!f.defined || !f.text || f.definedIn >= image.objects.size())
      continue;
    Object &o = image.objects[f.definedIn];
    if (!f.text->written) {
      ++o.droppedFunctions;
      o.droppedCode += f.size;
      continue;
    }
    (f.isKernel() ? o.kernels : o.functions) += 1;
    o.code += codeOf(f);
    if (!f.isKernel())
      inImage.push_back(&f);
  }
  for (const Object &o : image.objects) {
    image.code += o.code;
    image.droppedCode += o.droppedCode;
  }
  inImage = sortByName(std::move(inImage));
  positions.assign(program.functions.size(), -1);
  for (size_t i = 0; i != inImage.size(); ++i)
    positions[inImage[i]->ordinal] = int32_t(i);
  image.functions.resize(inImage.size());
  for (size_t i = 0; i != inImage.size(); ++i) {
    const Function &f = *inImage[i];
    DeviceFunction &d = image.functions[i];
    d.symbol = f.name;
    if (!sources.empty())
      d.source = sources[f.ordinal];
    d.object = f.definedIn;
    d.registers = registersOf(f);
    d.frame = res.of(f).frameSize;
    if (inputs.isRelocatable())
      d.depth.stack = d.frame;
    else
      d.depth = depthOf(f);
    d.code = codeOf(f);
  }
}

/// Where the definitions in force begin in the source.
void LinkMeasurement::findSources(const ObjectFile &obj) {
  const SourceLines lines(obj.file);
  if (lines.empty())
    return;
  sources.resize(program.functions.size());
  StringRef last, saved;
  const Function *found = nullptr;
  auto find = [&](unsigned text) {
    found = nullptr;
    const uint32_t owner =
        text < obj.textOwner.size() ? obj.textOwner[text] : 0;
    if (!owner || obj.isLost(owner) || !obj.symbols[owner] ||
        !obj.symbols[owner]->isFunction() ||
        !(obj.file.sections()[text].sh_flags & SHF_EXECINSTR))
      return false;
    const auto &f = static_cast<const Function &>(*obj.symbols[owner]);
    if (f.definedIn != obj.ordinal || !f.text || !f.text->written ||
        (wanted == SourcesOf::Kernels && !f.isKernel()))
      return false;
    found = &f;
    return true;
  };
  lines.forEachBegin(find, [&](unsigned, SourcePlace place) {
    if (place.file.data() != last.data()) {
      last = place.file;
      saved = names.save(last);
    }
    sources[found->ordinal] = {saved, place.line};
  });
}

void LinkMeasurement::findSources() {
  if (!findNamedSection(program, ".debug_line"))
    return;
  for (const ObjectFile &obj : program.objects)
    findSources(obj);
}

Image LinkMeasurement::run() {
  image.arch = inputs.config.archName;
  image.output = inputs.config.output;
  image.globalMemory =
      writtenSize(findNamedSection(program, SectionKind::Global)) +
      writtenSize(findNamedSection(program, SectionKind::GlobalInit));
  image.constantMemory =
      writtenSize(findNamedSection(program, SectionKind::UserConstants));
  if (!inputs.config.disableSmemReservation)
    reservedShared = getArchitectureLimits(inputs.sm())->reservedShared;
  measureReach();
  findSources();
  measureObjects();
  measureCode();
  const std::vector<Function *> kernels = sortByName(program.kernels());
  image.kernels.resize(kernels.size());
  for (size_t i = 0; i != kernels.size(); ++i)
    measureKernel(image.kernels[i], *kernels[i]);
  return std::move(image);
}

Image measureImage(const Inputs &inputs, Program &program, Resources &resources,
                   StringSaver &names, SourcesOf wanted) {
  return LinkMeasurement(inputs, program, resources, names, wanted).run();
}

} // namespace lld::cuda::report
