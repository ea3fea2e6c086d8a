//===- Resources.cpp - What kernels inherit from the functions they reach -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// propagateResources() finds what each kernel needs for all functions that it
/// reaches: registers, stack, barriers and so on [resources-inherited].
/// findResources() in Link.cpp calls it once for each view (native, Mercury),
/// in large links while another thread numbers sections and symbols;
/// NvInfoOutput.cpp writes the results. Most attributes take one loop over the
/// call graph's components, callees first; a sum or list visits all kernels
/// that reach a function with the attribute.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Analysis/FirstRecords.h"
#include "Analysis/RankedLists.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Parallel.h"
#include "Program.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Releases inherit more and more attributes; what they don't they copy
/// [attribute-inherited-later].
static bool isInherited(const LinkRules &rules, uint8_t code) {
  switch (code) {
  case EIATTR_CLUSTER_LAUNCH_CONTROL_USED:
    return rules.inheritsLaunchControl();
  case EIATTR_LANGUAGE:
    return rules.unitesLanguages();
  case EIATTR_GRID_ATTRIBUTES:
    return rules.inheritsGridAttributes();
  default:
    return true;
  }
}

bool staysExternal(const Symbol &s) {
  return !s.defined || s.other & STO_CUDA_ENTRY;
}

void dropOutdatedRecords(const Inputs &inputs, Program &program) {
  if (!program.mayHaveOutdatedRecords)
    return;
  for (InfoRecords &records : program.globalInfoRecords)
    records.eraseIf(inputs.memory.shared, [](const InfoRecord &r) {
      if (!isFunctionSummary(r.record.code) || !r.record.hasPayload())
        return false;
      Symbol *s = r.file->symbols[r.record.word(0)];
      return s && s->isFunction() && s->definedIn != r.file->ordinal;
    });
}

namespace {

class Propagation {
public:
  Propagation(const Inputs &inputs, Program &program, Resources &res)
      : inputs(inputs), program(program), res(res) {}
  void run();

private:
  void collect();
  void collectGlobal(const InfoRecord &r);
  uint32_t collectFunction(Function &f, const NvInfoCodes &codes);
  void noteMissingMasks();
  bool checkRegisterCounts();

  void registersAndStack();
  void flags();
  void gridAttributes();
  void maxima();
  void sums();
  void sparseMasks();
  void createdOrder();
  void lists();
  template <typename T>
  void
  list(uint8_t code,
       function_ref<void(const FunctionResources &, SmallVectorImpl<T> &)> own,
       SmallVector<T, 1> KernelResources::*result,
       bool KernelResources::*isNew);

  /// Calls use(kernel, its resources, value) for each kernel, whose value is
  /// made of what it reaches, or in single-kernel mode of all reachable
  /// functions. `own` is asked about reachable, defined functions only.
  template <typename T, typename Own, typename Merge, typename Use>
  void attribute(const T &identity, Own own, Merge merge, Use use);
  /// Calls fn(kernel, its resources) for each.
  template <typename Fn> void forEachKernel(Fn fn) {
    for (auto [kernel, resources] : zip_equal(res.kernels, res.ofKernel))
      fn(*kernel, resources);
  }
  static bool counts(const Function &f) { return f.reachable && f.defined; }

  const Inputs &inputs;
  Program &program;
  Resources &res;
  std::atomic<bool> anyFlagBarriers = false; ///< Not all flagBarriers are 0.
};

} // namespace

template <typename T, typename Own, typename Merge, typename Use>
void Propagation::attribute(const T &identity, Own own, Merge merge, Use use) {
  if (res.singleKernel) {
    T value = identity;
    for (Function &f : program.functions)
      if (counts(f))
        own(f, value);
    return use(*res.kernels.front(), res.ofKernel.front(), value);
  }
  auto values = program.callGraph.closure<T>(
      identity,
      [&](Function &f, T &value) {
        if (counts(f))
          own(f, value);
      },
      merge);
  forEachKernel([&](const Function &kernel, KernelResources &r) {
    use(kernel, r, ArrayRef(values)[program.callGraph.component(kernel)]);
  });
}

/// The codes of the records of .nv.info that collectGlobal() reads.
static constexpr NvInfoCodes GlobalCodes = [] {
  NvInfoCodes codes = {};
  codes[EIATTR_FRAME_SIZE] = codes[EIATTR_REGCOUNT] = true;
  return codes;
}();

void Propagation::collectGlobal(const InfoRecord &r) {
  Symbol *s =
      r.record.wordCount() < 2 ? nullptr : r.file->symbols[r.record.word(0)];
  if (!s || !s->isFunction())
    return;
  FunctionResources &f = res.of(*static_cast<Function *>(s));
  if (r.record.code == EIATTR_FRAME_SIZE)
    f.frameSize = r.record.word(1);
  else
    f.registers = r.record.word(1);
}

/// The codes of the records that collectFunction() reads.
static NvInfoCodes getCollectedCodes(const LinkRules &rules) {
  NvInfoCodes codes = {};
  for (uint8_t code : CreatedAttributes)
    codes[code] = isInherited(rules, code);
  codes[EIATTR_SYNC_STACK] = codes[EIATTR_MAXREG_COUNT] = true;
  return codes;
}

/// Returns which created attributes the function has, a bit each.
uint32_t Propagation::collectFunction(Function &f, const NvInfoCodes &codes) {
  FunctionResources &own = res.of(f);
  uint32_t seen = 0;
  const bool hasNativeCallees = !program.nativeCallees->empty();
  if (f.text && f.text->flags & SHF_CUDA_BARRIER_MASK) {
    own.flagBarriers =
        (f.text->flags & SHF_CUDA_BARRIER_MASK) >> SHF_CUDA_BARRIER_SHIFT;
    anyFlagBarriers = true;
  }
  auto collect = [&](const InfoRecord &r) {
    const NvInfoRecord &record = r.record;
    const uint32_t number = !record.hasPayload() ? record.value
                            : record.wordCount() ? record.word(0)
                                                 : 0;
    if (hasNativeCallees && namesNativeCalleesOnly(program, r))
      return;
    if (int i = createdIndex(record.code); i >= 0) {
      own.firstRecord[i] = std::min(own.firstRecord[i], r.sequence);
      seen |= 1u << i;
    }
    if (const int8_t i = FlagPositions[record.code]; i >= 0)
      own.flags |= 1 << i;
    switch (record.code) {
    case EIATTR_NUM_BARRIERS:
      own.barriers = number;
      break;
    case EIATTR_VRC_CTA_INIT_COUNT:
      own.vrcInitCount = number;
      break;
    case EIATTR_NUM_MBARRIERS:
      own.mbarriers = record.value;
      break;
    case EIATTR_SPARSE_MMA_MASK:
      own.sparseMask = record.value;
      break;
    case EIATTR_CRS_STACK_SIZE:
    case EIATTR_SYNC_STACK:
      own.crsStackSize = number;
      break;
    case EIATTR_MAXREG_COUNT:
      own.maxRegisters = record.value;
      break;
    case EIATTR_AT_ENTRY_FRAGMENTS:
      own.fragments = record.payload;
      break;
    case EIATTR_LANGUAGE:
      own.languages = record.payload;
      break;
    case EIATTR_GRID_ATTRIBUTES:
      own.gridAttributes |= number;
      break;
    case EIATTR_EXTERNS:
      own.externs.clear();
      for (unsigned w = 0; w != record.wordCount(); ++w)
        if (Symbol *s = r.file->symbols[record.word(w)];
            s && staysExternal(*s) && !isNativeCallee(*s))
          own.externs.push_back(s);
      break;
    default:
      break;
    }
  };
  f.infoRecords[unsigned(res.view)].forEachOf(codes, collect);
  return seen;
}

void Propagation::collect() {
  program.globalInfoRecords[unsigned(res.view)].forEachOf(
      GlobalCodes, [&](const InfoRecord &r) { collectGlobal(r); });
  std::atomic<uint32_t> seen = 0;
  const NvInfoCodes codes = getCollectedCodes(inputs.rules);
  parallelForPieces(inputs, program.functions.size(),
                    [&](size_t begin, size_t end) {
                      uint32_t seenHere = 0;
                      for (size_t i = begin; i != end; ++i)
                        if (Function &f = program.functions[i]; f.reachable)
                          seenHere |= collectFunction(f, codes);
                      seen |= seenHere;
                    });
  res.seen = seen;
}

void Propagation::noteMissingMasks() {
  if (!res.sees(EIATTR_SPARSE_MMA_MASK))
    return;
  for (Function &f : program.functions) {
    if (!counts(f) || res.of(f).sparseMask)
      continue;
    res.of(f).lacksSparseMask = true;
    if (f.aliasOf)
      res.of(*f.aliasOf).lacksSparseMask = true;
  }
}

/// [register-count-missing]
bool Propagation::checkRegisterCounts() {
  for (Function *e : res.kernels)
    if (!res.of(*e).registers) {
      inputs.diag.report(DiagId::InternalError,
                         {"Internal error: no regcount?"});
      return false;
    }
  return true;
}

void Propagation::registersAndStack() {
  // What a component needs together with all that it reaches. Depths are those
  // of the deepest path; within a cycle they have no meaning and aren't used.
  struct Needs {
    uint32_t registers = 0;
    uint64_t frames = 0, crs = 0;
  };
  const CallGraph &graph = program.callGraph;
  std::vector<Needs> all(graph.componentCount());
  const MutableArrayRef<Needs> needs(all);
  for (unsigned c = 0; c != needs.size(); ++c) {
    Needs &n = needs[c];
    for (uint32_t s : graph.successors(c)) {
      n.registers = std::max(n.registers, needs[s].registers);
      n.frames = std::max(n.frames, needs[s].frames);
      n.crs = std::max(n.crs, needs[s].crs);
    }
    for (Function *f : graph.members(c)) {
      const FunctionResources &own = res.of(*f);
      n.registers = std::max(n.registers, own.registers.value_or(0));
      n.frames += own.frameSize;
      n.crs += own.crsStackSize;
    }
  }
  // A function that sets the register count itself switches its maximum off.
  constexpr unsigned RegReconfig = 4;
  // [register-reconfiguration]
  static_assert(FlagAttributes[RegReconfig] == EIATTR_REG_RECONFIG);
  forEachKernel([&](const Function &kernel, KernelResources &r) {
    const Needs &n = needs[graph.component(kernel)];
    r.registers = r.values[createdIndex(EIATTR_REG_RECONFIG)]
                      ? *res.of(kernel).registers
                      : n.registers;
    auto &crs = r.values[createdIndex(EIATTR_CRS_STACK_SIZE)];
    if (graph.reachesCycle(kernel)) {
      r.minStackSize = UnboundedStack;
      crs = UnboundedStack;
      return;
    }
    r.minStackSize = n.frames;
    if (uint32_t(n.crs))
      crs = n.crs;
  });
}

void Propagation::flags() {
  if (none_of(FlagAttributes, [&](uint8_t code) { return res.sees(code); }))
    return;
  attribute<uint8_t>(
      0, [&](Function &f, uint8_t &v) { v |= res.of(f).flags; },
      [](uint8_t &into, uint8_t from) { into |= from; },
      [](const Function &, KernelResources &r, uint8_t flags) {
        for (unsigned i = 0; i != FlagAttributes.size(); ++i)
          if (flags >> i & 1)
            r.values[createdIndex(FlagAttributes[i])] = 0;
      });
}

void Propagation::gridAttributes() {
  if (!res.sees(EIATTR_GRID_ATTRIBUTES))
    return;
  attribute<uint16_t>(
      0, [&](Function &f, uint16_t &v) { v |= res.of(f).gridAttributes; },
      [](uint16_t &into, uint16_t from) { into |= from; },
      [](const Function &, KernelResources &r, uint16_t attributes) {
        if (attributes)
          r.values[createdIndex(EIATTR_GRID_ATTRIBUTES)] = attributes;
      });
}

void Propagation::maxima() {
  auto maximum = [](int &into, int from) { into = std::max(into, from); };
  if (res.sees(EIATTR_NUM_BARRIERS) || anyFlagBarriers)
    attribute<int>(
        0,
        [&](Function &f, int &v) {
          FunctionResources &r = res.of(f);
          v = std::max<int>({v, r.barriers.value_or(0), r.flagBarriers});
        },
        maximum,
        [](const Function &, KernelResources &r, int barriers) {
          if (barriers)
            r.values[createdIndex(EIATTR_NUM_BARRIERS)] = barriers;
        });
  if (!res.sees(EIATTR_VRC_CTA_INIT_COUNT))
    return;
  attribute<int>(
      -1,
      [&](Function &f, int &v) {
        if (auto own = res.of(f).vrcInitCount)
          v = std::max<int>(v, *own);
      },
      maximum,
      [&](const Function &kernel, KernelResources &r, int count) {
        auto own = res.of(kernel).vrcInitCount;
        if (count >= 0)
          r.values[createdIndex(EIATTR_VRC_CTA_INIT_COUNT)] =
              res.singleKernel && own ? *own : count;
      });
}

void Propagation::sums() {
  if (!res.sees(EIATTR_NUM_MBARRIERS))
    return;
  std::vector<Function *> carriers;
  for (Function &f : program.functions)
    if (counts(f) && res.of(f).mbarriers)
      carriers.push_back(&f);
  auto add = [&](KernelResources &r, Function &carrier) {
    auto &sum = r.values[createdIndex(EIATTR_NUM_MBARRIERS)];
    const uint16_t more = *res.of(carrier).mbarriers;
    // 0xffff is no number: the compiler couldn't count.
    constexpr uint16_t Unknown = 0xffff;
    sum = sum == Unknown || more == Unknown ? Unknown
                                            : uint16_t(sum.value_or(0) + more);
  };
  if (res.singleKernel) {
    for (Function *f : carriers)
      add(res.ofKernel[0], *f);
    return;
  }
  std::vector<std::vector<Function *>> items(carriers.size());
  transform(carriers, items.begin(),
            [](Function *f) { return std::vector{f}; });
  program.callGraph.forEachReachingKernel(
      items, res.kernels, [&](unsigned item, unsigned kernel) {
        add(res.ofKernel[kernel], *carriers[item]);
      });
}

void Propagation::sparseMasks() {
  if (!res.sees(EIATTR_SPARSE_MMA_MASK))
    return;
  constexpr uint32_t Lacking = 0x8000;
  const bool takesOwn =
      res.singleKernel &&
      all_of(program.functions, [](const Function &f) { return counts(f); });
  attribute<uint32_t>(
      0,
      [&](Function &f, uint32_t &v) {
        v |= res.of(f).sparseMask.value_or(0);
        if (res.of(f).lacksSparseMask)
          v |= Lacking << 16;
      },
      [](uint32_t &into, uint32_t from) { into |= from; },
      [&](const Function &kernel, KernelResources &r, uint32_t value) {
        uint32_t mask = value & 0xffff;
        if (value >> 16)
          mask |= Lacking;
        else if (takesOwn)
          mask = *res.of(kernel).sparseMask;
        r.values[createdIndex(EIATTR_SPARSE_MMA_MASK)] = mask;
      });
}

void Propagation::createdOrder() {
  constexpr unsigned FixedInFront = 2; // CRS_STACK_SIZE, SPARSE_MMA_MASK
  constexpr unsigned Barriers = createdIndex(EIATTR_NUM_BARRIERS);
  if (res.singleKernel) {
    for (unsigned i = 0; i != CreatedCount; ++i)
      res.ofKernel.front().createdOrder.push_back(i);
    return;
  }
  // Most kernels have few created attributes.
  SmallVector<uint8_t, CreatedCount> ranked;
  for (unsigned i = FixedInFront; i != CreatedCount; ++i)
    if (res.seen >> i & 1)
      ranked.push_back(i);
  const FirstRecords firstRecords(program.callGraph, res, ranked);
  std::array<uint32_t, CreatedCount> positions;
  positions.fill(~0u);
  forEachKernel([&](const Function &kernel, KernelResources &r) {
    const uint32_t *const position = firstRecords.of(kernel).data();
    CreatedOrder &order = r.createdOrder;
    for (unsigned i = 0; i != FixedInFront; ++i)
      order.push_back(i);
    for (size_t i = 0; i != ranked.size(); ++i) {
      positions[ranked[i]] = position[i];
      if (position[i] != ~0u)
        order.push_back(ranked[i]);
    }
    r.reachesBarrierRecord = positions[Barriers] != ~0u;
    // Barriers counted in sections' flags only have no record: theirs is last
    // (test/corpus/older-toolkits.test).
    if (r.values[Barriers] && !r.reachesBarrierRecord)
      order.push_back(Barriers);
    if (order.size() > FixedInFront + 1)
      std::sort(
          order.begin() + FixedInFront, order.end(),
          [&](uint8_t a, uint8_t b) { return positions[a] < positions[b]; });
  });
}

/// EXTERNS, AT_ENTRY_FRAGMENTS and LANGUAGE: the kernel's own list, then those
/// of the others in reading order, without duplicates [extern-records].
template <typename T>
void Propagation::list(
    uint8_t code,
    function_ref<void(const FunctionResources &, SmallVectorImpl<T> &)> own,
    SmallVector<T, 1> KernelResources::*result, bool KernelResources::*isNew) {
  const int position = createdIndex(code);
  SmallVector<T, 8> values;
  RankedLists<T> lists;
  using List = typename RankedLists<T>::List;
  auto ownList = [&](Function &f, List &list) {
    values.clear();
    own(res.of(f), values);
    const uint64_t rank = uint64_t(res.of(f).firstRecord[position]) << 32;
    for (size_t i = 0; i != values.size(); ++i)
      list.push_back({rank | i, lists.numberOf(values[i])});
    if (!values.empty())
      lists.normalize(list);
  };
  if (!res.sees(code) || none_of(program.functions, [&](Function &f) {
        if (!counts(f) || res.of(f).firstRecord[position] == ~0u)
          return false;
        values.clear();
        own(res.of(f), values);
        return !values.empty();
      }))
    return;
  auto use = [&](const Function &kernel, KernelResources &r, const List &list) {
    auto &out = r.*result;
    lists.begin();
    values.clear();
    own(res.of(kernel), values);
    for (T value : values)
      if (lists.take(lists.numberOf(value)))
        out.push_back(value);
    const size_t ownCount = out.size();
    for (auto [rank, number] : list)
      if (lists.take(number))
        out.push_back(lists.valueOf(number));
    if (!res.singleKernel || out.size() == ownCount)
      return;
    // Something came from elsewhere: a new record, in reading order; EXTERNS
    // reversed by older releases [extern-new-order].
    r.*isNew = true;
    out.clear();
    for (auto [rank, number] : list)
      out.push_back(lists.valueOf(number));
    if (code == EIATTR_EXTERNS && inputs.rules.reversesNewExterns())
      std::reverse(out.begin(), out.end());
  };
  attribute<List>(
      {}, ownList,
      [&](List &into, const List &from) { lists.merge(into, from); }, use);
}

void Propagation::lists() {
  list<Symbol *>(
      EIATTR_EXTERNS,
      [](const FunctionResources &f, SmallVectorImpl<Symbol *> &out) {
        out.append(f.externs.begin(), f.externs.end());
      },
      &KernelResources::externs, &KernelResources::newExterns);
  auto addWords = [](ArrayRef<uint8_t> payload,
                     SmallVectorImpl<uint32_t> &out) {
    for (; payload.size() >= 4; payload = payload.drop_front(4))
      out.push_back(support::endian::read32le(payload.data()));
  };
  list<uint32_t>(
      EIATTR_AT_ENTRY_FRAGMENTS,
      [&](const FunctionResources &f, SmallVectorImpl<uint32_t> &out) {
        addWords(f.fragments, out);
      },
      &KernelResources::fragments, &KernelResources::newFragments);
  list<uint32_t>(
      EIATTR_LANGUAGE,
      [&](const FunctionResources &f, SmallVectorImpl<uint32_t> &out) {
        addWords(f.languages, out);
      },
      &KernelResources::languages, &KernelResources::newLanguages);
}

void Propagation::run() {
  res.functions.resize(program.functions.size());
  res.kernels = program.countedKernels();
  res.ofKernel.resize(res.kernels.size());
  res.kernelIndex.assign(program.functions.size(), -1);
  for (size_t e = 0; e != res.kernels.size(); ++e)
    res.kernelIndex[res.kernels[e]->ordinal] = e;
  res.singleKernel = res.kernels.size() == 1;
  collect();
  noteMissingMasks();
  if (res.kernels.empty() || !checkRegisterCounts())
    return;
  flags();
  gridAttributes();
  registersAndStack();
  maxima();
  sums();
  sparseMasks();
  lists();
  createdOrder();
}

void propagateResources(const Inputs &inputs, Program &program,
                        Resources &resources) {
  Propagation(inputs, program, resources).run();
  propagatePreexits(inputs, program, resources);
}

void takeMercuryStacks(Resources &native, const Resources &mercury) {
  for (size_t i = 0; i != native.kernels.size(); ++i)
    if (const KernelResources *other = mercury.kernelOf(*native.kernels[i]))
      native.ofKernel[i].minStackSize =
          std::max(native.ofKernel[i].minStackSize, other->minStackSize);
}

} // namespace lld::cuda
