//===- FinalCodeCache.cpp - Final code that many links share --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each entry of the cache has a copy of everything that the result of
/// Rescheduler::finalize() depends on, so that a link takes the result only if
/// its function is the same in every byte, after relocation. Nothing is hashed:
/// a function is found by the place of its code in the input, and has few
/// entries. The linker's Finalizer.cpp uses the cache of an input that a
/// program has prepared (PreparedInput.h).
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/FinalCodeCache.h"
#include "lld-cuda/Support/LongLived.h"

using namespace llvm;

namespace lld::cuda {

/// A function, with its final code.
struct FinalCodeCache::Known {
  Known(const FunctionToSchedule &f, const FinalCode &code)
      : native(f.code.native.vec()), mercury(f.code.mercury.vec()),
        newNative(code.native.begin(), code.native.end()),
        newMercury(code.mercury.begin(), code.mercury.end()), function(f) {
    if (f.code.edit)
      edit = *f.code.edit;
    function.code.native = native;
    function.code.mercury = mercury;
    function.code.edit = edit ? &*edit : nullptr;
  }
  Known(const Known &) = delete; // It points into itself.

  const std::vector<uint8_t> native, mercury, newNative, newMercury;
  std::optional<CodeEdit> edit;
  FunctionToSchedule function; ///< Refers to the other members.
};

static bool isSame(const CodeEdit::Change &a, const CodeEdit::Change &b) {
  return a.index == b.index && a.inserted == b.inserted &&
         a.removed == b.removed && a.nops == b.nops &&
         a.lastStall == b.lastStall && a.shift == b.shift &&
         a.isBarrier == b.isBarrier && a.isFence == b.isFence &&
         a.isSync == b.isSync && a.isDelay == b.isDelay &&
         a.isSelfMove == b.isSelfMove && a.isJoined == b.isJoined;
}

static bool isSame(const CodeEdit *a, const CodeEdit *b) {
  if (!a || !b)
    return a == b;
  auto areSame = [](const auto &x, const auto &y) { return isSame(x, y); };
  return a->oldSize() == b->oldSize() && a->newSize() == b->newSize() &&
         a->usedInstructions() == b->usedInstructions() &&
         a->scheduling() == b->scheduling() &&
         std::equal(a->allChanges().begin(), a->allChanges().end(),
                    b->allChanges().begin(), b->allChanges().end(), areSame);
}

static bool isSame(ArrayRef<JumpTable> a, ArrayRef<JumpTable> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const JumpTable &x, const JumpTable &y) {
                      return x.jump == y.jump && x.targets == y.targets;
                    });
}

static bool isSame(const FunctionToSchedule &a, const FunctionToSchedule &b) {
  return a.code.native == b.code.native && a.code.mercury == b.code.mercury &&
         isSame(a.code.edit, b.code.edit) &&
         a.code.isOldest == b.code.isOldest && a.sm == b.sm &&
         a.toolkit == b.toolkit && a.isKernel == b.isKernel &&
         a.isFinal == b.isFinal && a.isDebugLink == b.isDebugLink &&
         isSame(ArrayRef(a.tables), ArrayRef(b.tables)) &&
         a.looksBeyondBlocks == b.looksBeyondBlocks &&
         a.hasFp64Events == b.hasFp64Events &&
         a.hasTwoOperandAdditions == b.hasTwoOperandAdditions;
}

FinalCodeCache::FinalCodeCache() = default;
FinalCodeCache::~FinalCodeCache() = default;

bool FinalCodeCache::find(const uint8_t *place, const FunctionToSchedule &f,
                          AllocateBytes allocate, FinalCode &out) const {
  std::vector<std::shared_ptr<const Known>> candidates;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = known.find(place);
    if (found != known.end())
      candidates = found->second;
  }
  for (const std::shared_ptr<const Known> &candidate : candidates) {
    if (!isSame(candidate->function, f))
      continue;
    if (!candidate->newNative.empty())
      out.native = copyBytes(candidate->newNative, allocate);
    if (!candidate->newMercury.empty())
      out.mercury = copyBytes(candidate->newMercury, allocate);
    return true;
  }
  return false;
}

void FinalCodeCache::add(const uint8_t *place, const FunctionToSchedule &f,
                         const FinalCode &code) {
  constexpr size_t MostOfFunction = 4;
  LongLived kept;
  auto next = std::make_shared<const Known>(f, code);
  std::lock_guard<std::mutex> lock(mutex);
  auto &ofFunction = known[place];
  if (ofFunction.size() < MostOfFunction)
    ofFunction.push_back(std::move(next));
}

} // namespace lld::cuda
