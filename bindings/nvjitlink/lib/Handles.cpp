//===- Handles.cpp - The table of handles and their jobs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every function of the library finds the job behind its handle in this table
/// (Exports.cpp); nvJitLinkCreate() adds one, nvJitLinkDestroy() removes it.
/// The table has 32 parts, each with a lock, and a handle's number says which:
/// so threads that each have their own link hardly ever wait for each other.
/// All locks are taken while the process forks, so that the child gets a table
/// which no thread was changing.
///
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Job.h"
#include <atomic>
#include <mutex>
#include <pthread.h>
#include <unordered_map>

namespace lld::cuda::nvjitlink {

namespace {

/// Several, so that threads hardly ever meet.
struct Shard {
  std::mutex mutex;
  std::unordered_map<uintptr_t, std::shared_ptr<Job>> jobs;
};
constexpr unsigned ShardCount = 32;

struct HandleTable {
  Shard shards[ShardCount];
  std::atomic<uintptr_t> last{0};

  HandleTable();
  Shard &shardOf(uintptr_t number) { return shards[number % ShardCount]; }
};

/// Never destroyed: other libraries may link while the process ends.
HandleTable &table() {
  static HandleTable *const theTable = new HandleTable;
  return *theTable;
}

void lockAll() {
  for (Shard &shard : table().shards)
    shard.mutex.lock();
}

void unlockAll() {
  for (Shard &shard : table().shards)
    shard.mutex.unlock();
}

} // namespace

/// A child of fork() finds the table as no thread is changing it.
HandleTable::HandleTable() { ::pthread_atfork(lockAll, unlockAll, unlockAll); }

/// Numbers look like addresses that are aligned, for programs that expect that.
static constexpr unsigned Step = 16;

Handle addHandle(std::shared_ptr<Job> job) {
  const uintptr_t number = ++table().last;
  Shard &shard = table().shardOf(number);
  std::lock_guard<std::mutex> lock(shard.mutex);
  shard.jobs.emplace(number, std::move(job));
  return reinterpret_cast<Handle>(number * Step);
}

static std::shared_ptr<Job> lookUp(Handle handle, bool removes) {
  const uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  if (value % Step)
    return nullptr;
  Shard &shard = table().shardOf(value / Step);
  std::lock_guard<std::mutex> lock(shard.mutex);
  auto found = shard.jobs.find(value / Step);
  if (found == shard.jobs.end())
    return nullptr;
  std::shared_ptr<Job> job = found->second;
  if (removes)
    shard.jobs.erase(found);
  return job;
}

std::shared_ptr<Job> findHandle(Handle handle) { return lookUp(handle, false); }

std::shared_ptr<Job> removeHandle(Handle handle) {
  return lookUp(handle, true);
}

} // namespace lld::cuda::nvjitlink
