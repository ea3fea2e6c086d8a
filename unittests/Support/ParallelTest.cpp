//===- ParallelTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Parallel.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

/// Files as the kernel shows them below /sys/fs/cgroup.
class ControlGroups : public testing::Test {
protected:
  ControlGroups() {
    EXPECT_FALSE(sys::fs::createUniqueDirectory("control-groups", root));
  }
  ~ControlGroups() override { sys::fs::remove_directories(root); }

  void write(StringRef path, StringRef text) {
    SmallString<128> file(root.str());
    sys::path::append(file, path);
    EXPECT_FALSE(sys::fs::create_directories(sys::path::parent_path(file)));
    std::error_code ec;
    raw_fd_ostream(file, ec) << text;
    EXPECT_FALSE(ec);
  }
  unsigned processors(StringRef list) {
    return processorsOfControlGroups(list, root);
  }

  SmallString<64> root;
};

TEST_F(ControlGroups, SecondVersion) {
  write("build/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(processors("0::/build/job\n"), 3u);
  write("build/cpu.max", "100000 100000\n");
  EXPECT_EQ(processors("0::/build/job\n"), 1u);
}

TEST_F(ControlGroups, NoLimit) {
  write("build/cpu.max", "max 100000\n");
  EXPECT_EQ(processors("0::/build\n"), 0u);
  EXPECT_EQ(processors("0::/elsewhere\n"), 0u);
  EXPECT_EQ(processors(""), 0u);
  EXPECT_EQ(processors("nonsense\n:\n"), 0u);
  write("build/cpu.max", "0 0\n");
  EXPECT_EQ(processors("0::/build\n"), 0u);
}

TEST_F(ControlGroups, LessThanOne) {
  write("cpu.max", "5000 100000\n");
  EXPECT_EQ(processors("0::/\n"), 1u);
}

TEST_F(ControlGroups, FirstVersion) {
  write("cpu,cpuacct/job/cpu.cfs_quota_us", "400000\n");
  write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("cpuset/job/cpu.cfs_quota_us", "100000\n");
  write("cpuset/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors("3:cpuset:/job\n4:cpu,cpuacct:/job\n0::/job\n"), 4u);
  write("cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(processors("4:cpu,cpuacct:/job\n"), 0u);
}

} // namespace
