//===- ThreadsTest.cpp - Links in several threads at once -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What links of one process could share: streams, the environment, files,
/// programs. ThreadSanitizer sees what they do share (scripts/check-threads);
/// without it the results are compared.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Linker.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <functional>
#include <thread>

using namespace lld::cuda;
using namespace llvm;

namespace {

/// A number of the environment: scripts/check-threads runs longer than tests.
unsigned getCount(const char *variable, unsigned otherwise) {
  unsigned count;
  const char *text = std::getenv(variable);
  return text && !StringRef(text).getAsInteger(10, count) ? count : otherwise;
}

const unsigned Threads = getCount("LLDCUDA_TEST_THREADS", 4),
               Links = getCount("LLDCUDA_TEST_LINKS", 50);

std::string input(StringRef name) {
  return (LLDCUDA_UNITTEST_INPUTS "/../../test/corpus/Inputs/" + name).str();
}

/// Each thread does each of the links in turn, beginning with another one.
void linkInThreads(ArrayRef<std::function<void()>> links) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t != Threads; ++t)
    threads.emplace_back([=] {
      for (unsigned i = 0; i != Links; ++i)
        links[(i + t) % links.size()]();
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// A link whose streams are null, the default.
struct SilentLink {
  explicit SilentLink(std::vector<std::string> args) {
    request.args = std::move(args);
    expected = link(request);
  }
  void operator()() const {
    const LinkResult result = link(request);
    EXPECT_EQ(result.exitStatus, expected.exitStatus);
    EXPECT_EQ(result.diagnostics.size(), expected.diagnostics.size());
    ASSERT_EQ(result.outputs.size(), expected.outputs.size());
    for (size_t i = 0; i != result.outputs.size(); ++i)
      EXPECT_EQ(result.outputs[i]->getBuffer(),
                expected.outputs[i]->getBuffer());
  }
  LinkRequest request;
  LinkResult expected;
};

const std::string Kernel = input("calls/calls-kernel.sm_90.cubin"),
                  Function = input("calls/calls-function.sm_90.cubin"),
                  Object = input("calls/calls-kernel.sm_75+sm_80+sm_90.o"),
                  OtherObject =
                      input("calls/calls-function.sm_75+sm_80+sm_90.o");

TEST(Threads, NullStreamsAreOfOneLink) {
  const SilentLink works(
      {"nvlink", "-arch=sm_90", Kernel, Function, "-o", "x", "-v"}),
      hasErrors({"nvlink", "-arch=sm_90", Kernel, "-o", "x"}),
      prints({"ld.cuda", "-arch=sm_90", Kernel, Function, "-o", "x", "--trace",
              "--cref", "--print-map", "--stats", "--print-memory-usage"}),
      hasLldErrors({"ld.cuda", "-arch=sm_90", Kernel, Kernel, "-o", "x",
                    "--error-limit=0"}),
      shows({"nvlink", "--help"});
  EXPECT_EQ(works.expected.exitStatus, 0);
  EXPECT_EQ(hasErrors.expected.exitStatus, 255);
  EXPECT_EQ(prints.expected.exitStatus, 0);
  EXPECT_EQ(hasLldErrors.expected.exitStatus, 1);
  linkInThreads({std::ref(works), std::ref(hasErrors), std::ref(prints),
                 std::ref(hasLldErrors), std::ref(shows)});
}

/// Host objects, which are read in parts, and reports.
TEST(Threads, InputsAndReportsAreOfOneLink) {
  const SilentLink objects({"ld.cuda", "-arch=sm_90", Object, OtherObject, "-o",
                            "x", "--resource-report=r.json", "--Map=m",
                            "--dependency-file=d"}),
      lists({"nvlink", "-arch=sm_80", Object, OtherObject, "-o", "x",
             "--register-link-binaries=r"}),
      isRelocatable(
          {"nvlink", "-arch=sm_90", "-r", Kernel, Function, "-o", "x"});
  for (const SilentLink *link : {&objects, &lists, &isRelocatable})
    for (const Diagnostic &d : link->expected.diagnostics)
      ADD_FAILURE() << d.text;
  linkInThreads({std::ref(objects), std::ref(lists), std::ref(isRelocatable)});
}

/// Command lines, with streams of their own: links of several architectures,
/// which share their inputs, in threads, too; and one that is large enough for
/// threads of its own.
TEST(Threads, CommandLinesHaveStreamsOfTheirOwn) {
  auto run = [](std::vector<const char *> args, bool succeeds) {
    raw_null_ostream out;
    std::string messages;
    raw_string_ostream err(messages);
    EXPECT_EQ(lld::cuda::link(args, out, err, /*exitEarly=*/false,
                              /*disableOutput=*/true),
              succeeds)
        << messages;
  };
  auto linkDevice = [&] {
    run({"ld.cuda", "-arch=sm_75", "-arch=sm_80", "-arch=sm_90", Object.c_str(),
         OtherObject.c_str(), "--fatbin=x"},
        true);
  };
  auto failDevice = [&] {
    run({"ld.cuda", "-arch=sm_75", "-arch=sm_80", "-arch=sm_90", Object.c_str(),
         "--fatbin=x"},
        false);
  };
  auto linkMany = [&] {
    std::vector<const char *> args{
        "ld.cuda", "-arch=sm_90", "-o", "x", "--allow-multiple-definition",
        "-w",      Kernel.c_str()};
    args.insert(args.end(), 80, Function.c_str());
    run(args, true);
  };
  linkInThreads({linkDevice, failDevice, linkMany});
}

} // namespace
