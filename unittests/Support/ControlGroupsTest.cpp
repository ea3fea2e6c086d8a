//===- ControlGroupsTest.cpp - Memory that a container may have -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/ControlGroups.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

/// Files as the kernel shows them below /sys/fs/cgroup.
class ControlGroupsTest : public testing::Test {
protected:
  ControlGroupsTest() {
    EXPECT_FALSE(sys::fs::createUniqueDirectory("control-groups", root));
  }
  ~ControlGroupsTest() override { sys::fs::remove_directories(root); }

  void write(StringRef path, StringRef text) {
    SmallString<128> file(root.str());
    sys::path::append(file, path);
    EXPECT_FALSE(sys::fs::create_directories(sys::path::parent_path(file)));
    std::error_code ec;
    raw_fd_ostream(file, ec) << text;
    EXPECT_FALSE(ec);
  }
  ControlGroups groups(StringRef text) {
    write("list", text);
    list = (root + "/list").str();
    return {list, root};
  }
  /// 0: no limit.
  unsigned processors(StringRef text) {
    return groups(text).processors().value_or(0);
  }
  uint64_t memory(StringRef text) { return groups(text).memory().value_or(0); }

  SmallString<64> root;
  std::string list;
};

TEST_F(ControlGroupsTest, SecondVersion) {
  write("build/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(processors("0::/build/job\n"), 3u);
  write("build/cpu.max", "100000 100000\n");
  EXPECT_EQ(processors("0::/build/job\n"), 1u);
}

TEST_F(ControlGroupsTest, NoLimit) {
  write("build/cpu.max", "max 100000\n");
  EXPECT_EQ(processors("0::/build\n"), 0u);
  EXPECT_EQ(processors("0::/elsewhere\n"), 0u);
  EXPECT_EQ(processors(""), 0u);
  EXPECT_EQ(processors("nonsense\n:\n"), 0u);
  write("build/cpu.max", "0 0\n");
  EXPECT_EQ(processors("0::/build\n"), 0u);
}

TEST_F(ControlGroupsTest, LessThanOne) {
  write("cpu.max", "5000 100000\n");
  EXPECT_EQ(processors("0::/\n"), 1u);
}

TEST_F(ControlGroupsTest, FirstVersion) {
  write("cpu,cpuacct/job/cpu.cfs_quota_us", "400000\n");
  write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("cpuset/job/cpu.cfs_quota_us", "100000\n");
  write("cpuset/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors("3:cpuset:/job\n4:cpu,cpuacct:/job\n0::/job\n"), 4u);
  write("cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(processors("4:cpu,cpuacct:/job\n"), 0u);
}

TEST_F(ControlGroupsTest, Memory) {
  write("build/memory.max", "max\n");
  EXPECT_EQ(memory("0::/build\n"), 0u);
  write("build/job/memory.max", "1048576\n");
  EXPECT_EQ(memory("0::/build/job\n"), 1048576u);
  write("memory/job/memory.limit_in_bytes", "65536\n");
  EXPECT_EQ(memory("7:memory:/job\n0::/build/job\n"), 65536u);
}

TEST_F(ControlGroupsTest, NoList) {
  EXPECT_FALSE((ControlGroups{"/nowhere/cgroup", root}.processors()));
  EXPECT_FALSE((ControlGroups{"/nowhere/cgroup", root}.memory()));
}

} // namespace
