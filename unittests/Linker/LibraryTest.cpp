//===- LibraryTest.cpp - The linker as a library -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <deque>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#endif

using namespace llvm;
using lld::cuda::DiagId;
using lld::cuda::Diagnostic;
using lld::cuda::LinkResult;
using lld::cuda::Mention;
using lld::cuda::Severity;

namespace {

/// Bytes that were allocated and not freed. Sanitizers have a heap of their
/// own, of which glibc knows nothing.
size_t heapInUse() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return ::__sanitizer_get_current_allocated_bytes();
#else
  return ::mallinfo2().uordblks;
#endif
}

struct Result {
  bool ok;
  std::string out, err;
};

Result link(std::vector<const char *> args, bool disableOutput = false) {
  Result result;
  raw_string_ostream out(result.out), err(result.err);
  result.ok =
      lld::cuda::link(args, out, err, /*exitEarly=*/false, disableOutput);
  return result;
}

TEST(Library, NameDecidesWhoSpeaks) {
  EXPECT_EQ(link({"/usr/bin/nvlink", "-bogus"}).err,
            "nvlink fatal   : Unknown option 'bogus'\n");
  EXPECT_EQ(link({"ld.cuda", "-bogus"}).err,
            "ld.cuda: error: unknown argument '-bogus'\n");
  EXPECT_EQ(link({"lld-cuda", "-bogus"}).err,
            "nvlink fatal   : Unknown option 'bogus'\n");
  EXPECT_EQ(link({"lld-cuda", "-flavor", "lld", "-bogus"}).err,
            "lld-cuda: error: unknown argument '-bogus'\n");
  EXPECT_FALSE(link({}).ok);
}

TEST(Library, VersionUnderNvlinksName) {
  Result result = link({"nvlink", "-V"});
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out.find("Cuda compilation tools, release 13.0, V13.0.88\n"
                            "Build cuda_13.0.r13.0/compiler.36424714_0\n"),
            0u);
  EXPECT_NE(result.out.find("lld-cuda"), std::string::npos);
  EXPECT_EQ(link({"ld.cuda", "-V"}).out.find("lld-cuda"), 0u);
}

TEST(Library, HelpWinsOverVersion) {
  Result result = link({"nvlink", "-V", "-h"});
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.out.find("Usage: nvlink"), 0u);
}

TEST(Library, LinksInTwoThreadsDontMix) {
  auto repeat = [](const char *option, std::string expected, bool *ok) {
    *ok = true;
    for (int i = 0; i != 200; ++i)
      *ok &= link({"nvlink", "-arch=sm_90", "-o", "x", option}).err == expected;
  };
  bool ok[2];
  std::thread other(repeat, "-bogus",
                    "nvlink fatal   : Unknown option 'bogus'\n", &ok[0]);
  repeat("/nonexistent.o",
         "nvlink fatal   : Could not open input file '/nonexistent.o'\n"
         ">>> No such file or directory\n",
         &ok[1]);
  other.join();
  EXPECT_TRUE(ok[0]);
  EXPECT_TRUE(ok[1]);
}

/// A link of the corpus, into a file of its own.
class CorpusLink {
public:
  CorpusLink(const char *arch, std::vector<StringRef> names) {
    args = {"nvlink", std::string("-arch=") + arch};
    for (StringRef name : names)
      args.push_back((LLDCUDA_UNITTEST_INPUTS "/../../test/corpus/Inputs/" +
                      name + "." + arch + ".cubin")
                         .str());
    SmallString<128> output;
    EXPECT_FALSE(sys::fs::createTemporaryFile("lld-cuda", "cubin", output));
    path = std::string(output);
    args.push_back("-o");
    args.push_back(path);
  }
  ~CorpusLink() { sys::fs::remove(path); }

  /// What the link makes, or its messages.
  std::string run() {
    std::vector<const char *> words;
    for (const std::string &arg : args)
      words.push_back(arg.c_str());
    Result result = link(words);
    if (!result.ok)
      return result.err;
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "no output";
  }

private:
  std::vector<std::string> args;
  std::string path;
};

TEST(Library, ThousandsOfLinksDontGrow) {
  CorpusLink calls("sm_90", {"calls/calls-kernel", "calls/calls-function"}),
      shared("sm_80", {"shared/shared-module-a", "shared/shared-module-b"}),
      undefined("sm_80", {"calls/calls-kernel"});
  std::string expected[] = {calls.run(), shared.run(), undefined.run()};
  EXPECT_TRUE(StringRef(expected[0])
                  .starts_with("\x7f"
                               "ELF"));
  EXPECT_TRUE(StringRef(expected[1])
                  .starts_with("\x7f"
                               "ELF"));
  EXPECT_TRUE(StringRef(expected[2]).contains("Undefined reference"));
  size_t before = 0;
  for (int i = 0; i != 1000; ++i) {
    ASSERT_EQ(calls.run(), expected[0]);
    ASSERT_EQ(shared.run(), expected[1]);
    ASSERT_EQ(undefined.run(), expected[2]);
    // Whatever is made once exists by now, and the allocator's caches are full.
    if (i == 200)
      before = heapInUse();
  }
  // The smallest object lost in each of 2400 links would be more.
  EXPECT_LE(heapInUse(), before + 2400 * 16 - 1);
}

/// A process without a handler for SIGBUS survives that inputs are cut short
/// while they are linked, if it asks for copies.
TEST(Library, CopiedInputsMayShrink) {
  SmallString<128> directory;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("lld-cuda-copied", directory));
  auto path = [&](const char *name) { return (directory + "/" + name).str(); };
  auto cubin = MemoryBuffer::getFile(LLDCUDA_UNITTEST_INPUTS
                                     "/../../test/corpus/Inputs/"
                                     "calls/calls-function.sm_90.cubin");
  ASSERT_TRUE(bool(cubin));
  auto write = [&](const std::string &name, StringRef contents) {
    std::error_code ec;
    raw_fd_ostream os(name, ec);
    os << contents;
  };
  const std::string large = path("large.cubin"), pipe = path("pipe.cubin"),
                    output = path("out");
  write(large, ((*cubin)->getBuffer() + std::string(1 << 20, '\0')).str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  // The pipe opens when the link has read the file before it.
  std::thread other([&] {
    int fd = ::open(pipe.c_str(), O_WRONLY);
    EXPECT_EQ(::truncate(large.c_str(), 0), 0);
    EXPECT_EQ(::write(fd, "not a cubin", 11), 11);
    ::close(fd);
  });
  std::string out, err;
  raw_string_ostream outStream(out), errStream(err);
  EXPECT_FALSE(lld::cuda::link({"nvlink", "-arch=sm_90", "-o", output.c_str(),
                                large.c_str(), pipe.c_str()},
                               outStream, errStream, /*exitEarly=*/false,
                               /*disableOutput=*/false,
                               lld::cuda::InputMode::Read));
  other.join();
  // In front of it there may be a warning that the first file is empty.
  EXPECT_TRUE(StringRef(err).ends_with(
      "nvlink fatal   : Could not open input file '" + pipe +
      "'\n>>> its 11 bytes can't be device code\n"))
      << err;
  ::unlink(pipe.c_str()); // remove_directories() leaves what is no file.
  sys::fs::remove_directories(directory);
}

TEST(Library, LinksInTwoThreadsMakeWhatOneMakes) {
  CorpusLink a("sm_90", {"calls/calls-kernel", "calls/calls-function"}),
      b("sm_80", {"shared/shared-module-a", "shared/shared-module-b"});
  const std::string expectedA = a.run(), expectedB = b.run();
  auto repeat = [](CorpusLink &link, const std::string &expected, bool *same) {
    for (int i = 0; i != 200; ++i)
      *same &= link.run() == expected;
  };
  bool sameA = true, sameB = true;
  std::thread other(repeat, std::ref(a), expectedA, &sameA);
  repeat(b, expectedB, &sameB);
  other.join();
  EXPECT_TRUE(sameA);
  EXPECT_TRUE(sameB);
}

/// Links that neither read nor write a file.
class MemoryLink {
public:
  MemoryLink(const char *program, const char *arch,
             std::vector<StringRef> names) {
    request.args = {program, std::string("-arch=") + arch, "-o", "out.cubin"};
    for (StringRef name : names) {
      auto buffer = MemoryBuffer::getFile(LLDCUDA_UNITTEST_INPUTS
                                          "/../../test/corpus/Inputs/calls/" +
                                          name + "." + arch + ".cubin");
      EXPECT_TRUE(bool(buffer)) << name.str();
      buffers.push_back(std::move(*buffer));
      // No such file exists.
      inputs.push_back((name + ".cubin").str());
      request.args.push_back(inputs.back());
      request.files.push_back(
          MemoryBufferRef(buffers.back()->getBuffer(), inputs.back()));
    }
  }

  lld::cuda::LinkRequest request;

private:
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
  std::deque<std::string> inputs; ///< Names, which files refer to.
};

TEST(Library, LinksFromMemoryToMemory) {
  for (const char *arch : {"sm_80", "sm_90", "sm_100"}) {
    CorpusLink files(arch, {"calls/calls-kernel", "calls/calls-function"});
    MemoryLink memory("nvlink", arch, {"calls-kernel", "calls-function"});
    LinkResult result = lld::cuda::link(memory.request);
    EXPECT_EQ(result.exitStatus, 0);
    EXPECT_TRUE(result.diagnostics.empty());
    ASSERT_EQ(result.outputs.size(), 1u);
    const MemoryBuffer *image = result.getOutput("out.cubin");
    ASSERT_TRUE(image);
    EXPECT_TRUE(image->getBuffer() == files.run()) << arch;
    EXPECT_FALSE(sys::fs::exists("out.cubin"));
  }
}

TEST(Library, MessagesAreObjects) {
  MemoryLink memory("nvlink", "sm_90", {"calls-kernel"});
  LinkResult result = lld::cuda::link(memory.request);
  EXPECT_EQ(result.exitStatus, 255);
  EXPECT_TRUE(result.outputs.empty());
  ASSERT_EQ(result.diagnostics.size(), 1u);
  const Diagnostic &d = result.diagnostics[0];
  EXPECT_EQ(d.id, DiagId::UndefinedReference);
  EXPECT_EQ(getName(d.id), "undefined-reference");
  EXPECT_EQ(d.severity, Severity::Error);
  ASSERT_EQ(d.getSymbols().size(), 1u);
  EXPECT_EQ(d.getFile(), "calls-kernel.cubin");
  EXPECT_EQ(d.text, "Undefined reference to '" + d.getSymbols()[0].str() +
                        "' in 'calls-kernel.cubin'");
  EXPECT_FALSE(d.notes.empty());
  EXPECT_FALSE(sys::fs::exists("out.cubin"));

  // The same object whatever the flavour prints.
  MemoryLink other("ld.cuda", "sm_90", {"calls-kernel"});
  std::string text;
  raw_string_ostream os(text);
  other.request.err = &os;
  LinkResult otherResult = lld::cuda::link(other.request);
  EXPECT_EQ(otherResult.exitStatus, 1);
  ASSERT_EQ(otherResult.diagnostics.size(), 1u);
  EXPECT_EQ(otherResult.diagnostics[0].id, d.id);
  EXPECT_EQ(otherResult.diagnostics[0].getSymbols(), d.getSymbols());
  EXPECT_EQ(StringRef(text).find("ld.cuda: error: undefined symbol: "), 0u);
}

TEST(Library, MultipleDefinitionNamesBothFiles) {
  MemoryLink memory("nvlink", "sm_90", {"calls-function"});
  memory.request.args.push_back("copy.cubin");
  memory.request.files.push_back(
      MemoryBufferRef(memory.request.files[0].getBuffer(), "copy.cubin"));
  LinkResult result = lld::cuda::link(memory.request);
  EXPECT_EQ(result.exitStatus, 1);
  ASSERT_FALSE(result.diagnostics.empty());
  const Diagnostic &d = result.diagnostics.front();
  EXPECT_EQ(d.id, DiagId::MultipleDefinition);
  EXPECT_EQ(d.getAll(Mention::File),
            (SmallVector<StringRef, 2>{"copy.cubin", "calls-function.cubin"}));
  EXPECT_EQ(result.diagnostics.back().id, DiagId::MergeFailed);
}

TEST(Library, CommandLineMistakesAreObjects) {
  lld::cuda::LinkRequest request;
  request.args = {"nvlink", "-bogus"};
  LinkResult result = lld::cuda::link(request);
  EXPECT_EQ(result.exitStatus, 1);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].id, DiagId::UnknownOption);
}

TEST(Library, FactsAboutKernels) {
  MemoryLink memory("nvlink", "sm_90", {"calls-kernel", "calls-function"});
  LinkResult result = lld::cuda::link(memory.request);
  ASSERT_FALSE(result.facts.kernels.empty());
  EXPECT_FALSE(result.facts.kernels[0].name.empty());
  EXPECT_GT(result.facts.kernels[0].registers, 0u);
}

TEST(Library, OtherOutputsStayInMemory) {
  MemoryLink memory("nvlink", "sm_90", {"calls-kernel", "calls-function"});
  memory.request.args.push_back("--register-link-binaries=reg.c");
  LinkResult result = lld::cuda::link(memory.request);
  ASSERT_EQ(result.outputs.size(), 2u);
  ASSERT_TRUE(result.getOutput("reg.c"));
  EXPECT_TRUE(
      result.getOutput("reg.c")->getBuffer().contains("NUM_PRELINKED_OBJECTS"));
  EXPECT_FALSE(sys::fs::exists("reg.c"));
}

} // namespace
