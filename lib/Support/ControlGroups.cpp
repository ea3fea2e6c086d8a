//===- ControlGroups.cpp - Limits of a process's control groups -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parallel.cpp asks processors() before it chooses a number of threads, and
/// Limits.cpp asks memory(): in a container, the machine's own numbers may be
/// too large. findLeast() goes from the process's group up to the root and
/// takes the smallest limit, because a group may not use more than the groups
/// around it. It reads both versions of the interface; "150000 100000" in
/// cpu.max is time for 1.5 processors, which counts as 2.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/ControlGroups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <string>

using namespace llvm;
using namespace lld::cuda;

/// Returns the contents of a file, or "" if it isn't there.
static std::string readSystemFile(const Twine &path) {
  auto buffer = MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
}

/// Returns nothing for "max" and "-1", which mean that there is no limit.
static std::optional<uint64_t> readNumber(StringRef text) {
  uint64_t number;
  if (text.trim().getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// The least of what `read` finds in the folders of the process's group and of
/// those that it is in. `isSecond`: of the interface's second version.
template <typename Number, typename Read>
static std::optional<Number> findLeast(const ControlGroups &groups,
                                       StringRef controller, Read read) {
  std::optional<Number> least;
  const std::string list = readSystemFile(groups.list);
  // NUMBER:CONTROLLERS:GROUP; the second version has the number 0, and no
  // controllers.
  for (StringRef line : split(StringRef(list), '\n')) {
    const auto [number, rest] = line.split(':');
    auto [controllers, group] = rest.split(':');
    const bool isSecond = number == "0" && controllers.empty();
    SmallVector<StringRef, 4> names;
    controllers.split(names, ',');
    if (!isSecond && !is_contained(names, controller))
      continue;
    const std::string folder =
        (groups.root + (isSecond ? "" : "/" + controllers)).str();
    for (group = group.rtrim('/');; group = group.rsplit('/').first) {
      const std::optional<Number> found = read(folder + group.str(), isSecond);
      if (found && (!least || *found < *least))
        least = found;
      if (group.empty())
        break;
    }
  }
  return least;
}

std::optional<unsigned> ControlGroups::processors() const {
  auto read = [](const std::string &group,
                 bool isSecond) -> std::optional<unsigned> {
    // Time in a period, and the period.
    std::string text = isSecond
                           ? readSystemFile(group + "/cpu.max")
                           : readSystemFile(group + "/cpu.cfs_quota_us") + ' ' +
                                 readSystemFile(group + "/cpu.cfs_period_us");
    const auto [quota, period] = StringRef(text).split(' ');
    const std::optional<uint64_t> used = readNumber(quota),
                                  of = readNumber(period);
    if (!used || !of || !*of)
      return std::nullopt;
    return unsigned(
        std::clamp<uint64_t>(divideCeil(*used, *of), 1, UINT16_MAX));
  };
  return findLeast<unsigned>(*this, "cpu", read);
}

std::optional<uint64_t> ControlGroups::memory() const {
  auto read = [](const std::string &group, bool isSecond) {
    return readNumber(readSystemFile(
        group + (isSecond ? "/memory.max" : "/memory.limit_in_bytes")));
  };
  return findLeast<uint64_t>(*this, "memory", read);
}
