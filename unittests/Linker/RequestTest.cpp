//===- RequestTest.cpp - Links whose inputs are data ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Linker.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <sys/stat.h>

using namespace llvm;
using namespace lld::cuda;

namespace {

const std::string Corpus = LLDCUDA_UNITTEST_INPUTS "/../../test/corpus/Inputs/";

std::string contents(const std::string &name) {
  auto buffer = MemoryBuffer::getFile(Corpus + name);
  EXPECT_TRUE(bool(buffer)) << name;
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

class Request : public testing::Test {
protected:
  const std::string kernel = contents("calls/calls-kernel.sm_90.cubin"),
                    function = contents("calls/calls-function.sm_90.cubin"),
                    kernelObject =
                        contents("calls/calls-kernel.sm_75+sm_80+sm_90.o"),
                    functionObject =
                        contents("calls/calls-function.sm_75+sm_80+sm_90.o"),
                    kernelFatbin = contents(
                        "calls/calls-kernel.sm_75+sm_80+sm_90.none.fatbin");

  static LinkResult run(std::vector<LinkInput> inputs,
                        LinkOptions options = {}) {
    LinkRequest request;
    request.options = std::move(options);
    if (request.options.arch.empty())
      request.options.arch = "sm_90";
    request.inputs = std::move(inputs);
    return link(request);
  }
  static std::vector<Diagnostic> check(const LinkInput &input,
                                       const char *arch = "sm_90") {
    LinkOptions options;
    options.arch = arch;
    return checkInput(input, options);
  }
  static std::string image(const LinkResult &result) {
    return result.getImage() ? result.getImage()->getBuffer().str() : "";
  }
  static std::vector<StringRef> kernels(const LinkResult &result) {
    std::vector<StringRef> names;
    for (const KernelFacts &k : result.facts.kernels)
      names.push_back(k.name);
    return names;
  }
  /// What a command line makes of files with the suffixes that nvlink wants.
  std::string expected() {
    LinkRequest request;
    request.args = {"nvlink",       "-arch=sm_90", "-o",
                    "linked.cubin", "a.cubin",     "b.cubin"};
    request.files = {MemoryBufferRef(kernel, "a.cubin"),
                     MemoryBufferRef(function, "b.cubin")};
    return image(link(request));
  }
};

TEST_F(Request, LinksWhatACommandLineLinks) {
  LinkResult result =
      run({LinkInput::bytes(kernel, "a"), LinkInput::bytes(function, "b")});
  EXPECT_EQ(result.exitStatus, 0);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_EQ(image(result), expected());
}

TEST_F(Request, NamesDecideNothing) {
  for (const char *name :
       {"", "a", "-foo", "@file", "a b", "x.a", "x.ptx", "x.so", "x.fatbin",
        "x.bc", "x.ltoir", "libcudadevrt.a", "<cudapy-ptx>"}) {
    LinkResult result =
        run({LinkInput::bytes(kernel, name), LinkInput::bytes(function, name)});
    EXPECT_EQ(result.exitStatus, 0) << name;
    EXPECT_TRUE(result.diagnostics.empty()) << name;
    EXPECT_EQ(image(result), expected()) << name;
  }
}

TEST_F(Request, ContentsTellTheKind) {
  const std::string whole = image(
      run({LinkInput::bytes(kernelObject), LinkInput::bytes(functionObject)}));
  EXPECT_FALSE(whole.empty());
  EXPECT_EQ(image(run({LinkInput::bytes(kernelFatbin),
                       LinkInput::bytes(functionObject)})),
            whole);
}

TEST_F(Request, ArchivesAreInputs) {
  std::string archive = "!<arch>\n";
  for (const std::string &member : {kernelObject, functionObject}) {
    char header[100]; // Of 60 bytes, as long as the size has ten digits.
    snprintf(header, sizeof(header), "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", "m.o/",
             0, 0, 0, "644", member.size());
    archive += header + member + std::string(member.size() % 2, '\n');
  }
  EXPECT_EQ(image(run({LinkInput::bytes(archive)})),
            image(run({LinkInput::bytes(kernelObject),
                       LinkInput::bytes(functionObject)})));
  EXPECT_TRUE(check(LinkInput::bytes(archive, "", InputKind::Archive)).empty());
}

TEST_F(Request, AnInputIsOfItsKindOrAnError) {
  struct {
    InputKind kind;
    const std::string &contents;
    const char *problem; ///< Null: none.
  } cases[] = {{InputKind::Cubin, kernel, nullptr},
               {InputKind::Cubin, kernelFatbin, "it is not a cubin"},
               {InputKind::PTX, kernel, "it is not PTX"},
               {InputKind::Fatbin, kernelFatbin, nullptr},
               {InputKind::Fatbin, kernelObject, "it is not a fatbin"},
               {InputKind::Object, kernelObject, nullptr},
               {InputKind::Object, kernel, nullptr},
               {InputKind::Archive, kernelObject, "it is not an archive"},
               {InputKind::LtoIR, kernel, "it is not LTO IR"}};
  for (const auto &c : cases) {
    std::vector<Diagnostic> messages =
        check(LinkInput::bytes(c.contents, "in", c.kind));
    ASSERT_EQ(messages.size(), c.problem ? 1u : 0u);
    if (!c.problem)
      continue;
    EXPECT_EQ(messages[0].severity, Severity::Error);
    EXPECT_EQ(messages[0].id, DiagId::UnknownFormat);
    EXPECT_NE(messages[0].text.find(c.problem), std::string::npos)
        << messages[0].text;
  }
}

TEST_F(Request, NothingIsPassedOverInSilence) {
  for (StringRef text : {"", "x",
                         "no device code, but more than 56 characters "
                         "of something else"}) {
    LinkResult result = run({LinkInput::bytes(text)});
    EXPECT_NE(result.exitStatus, 0);
    EXPECT_FALSE(result.getImage());
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_EQ(result.diagnostics[0].getFile(), "<input 1>");
  }
}

TEST_F(Request, MessagesNumberInputsWithoutAName) {
  LinkResult result =
      run({LinkInput::bytes(kernel, "named"), LinkInput::bytes(function),
           LinkInput::bytes(function)});
  EXPECT_NE(result.exitStatus, 0);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].id, DiagId::MultipleDefinition);
  EXPECT_EQ(result.diagnostics[0].getAll(Mention::File),
            (SmallVector<StringRef, 2>{"<input 3>", "<input 2>"}));
}

TEST_F(Request, TwoOfOneNameAreTwo) {
  EXPECT_EQ(image(run({LinkInput::bytes(kernel, "in.cubin"),
                       LinkInput::bytes(function, "in.cubin")})),
            expected());
}

TEST_F(Request, FilesAreReadByTheirPath) {
  EXPECT_EQ(
      image(
          run({LinkInput::file(Corpus + "calls/calls-kernel.sm_90.cubin"),
               LinkInput::file(Corpus + "calls/calls-function.sm_90.cubin")})),
      expected());
  LinkInput missing = LinkInput::file("/nonexistent/a.cubin");
  LinkResult result = run({missing});
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].getFile(), "/nonexistent/a.cubin");
  missing.name = "shown";
  result = run({missing});
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].getFile(), "shown");
}

TEST_F(Request, NoInputsMakeAnEmptyImage) {
  for (const char *arch : {"sm_75", "sm_90", "sm_100"}) {
    LinkOptions options;
    options.arch = arch;
    LinkResult result = run({}, options);
    EXPECT_EQ(result.exitStatus, 0) << arch;
    ASSERT_TRUE(result.getImage()) << arch;
    EXPECT_TRUE(bool(CubinFile::create(result.getImage()->getMemBufferRef())));
    EXPECT_TRUE(result.facts.kernels.empty());
  }
  // nvlink's command line wants one.
  LinkRequest request;
  request.args = {"nvlink", "-arch=sm_90", "-o", "x"};
  EXPECT_NE(link(request).exitStatus, 0);
}

TEST_F(Request, TheTargetIsChecked) {
  for (const char *arch : {"", "90", "sm_1", "sm_90 -r", "compute_90x"}) {
    LinkRequest request;
    request.options.arch = arch;
    request.inputs = {LinkInput::bytes(kernel)};
    LinkResult result = link(request);
    EXPECT_NE(result.exitStatus, 0) << arch;
    EXPECT_FALSE(result.diagnostics.empty()) << arch;
    EXPECT_FALSE(result.getImage()) << arch;
  }
}

TEST_F(Request, OptionsAreData) {
  LinkOptions options;
  options.relocatable = true;
  LinkResult result = run({LinkInput::bytes(kernel)}, options);
  EXPECT_EQ(result.exitStatus, 0);
  EXPECT_EQ(
      image(run({LinkInput::bytes(image(result)), LinkInput::bytes(function)}))
              .size() > 0,
      true);

  options = LinkOptions();
  options.kernelsUsed.emplace({std::string("no such kernel, -r")});
  EXPECT_TRUE(
      kernels(
          run({LinkInput::bytes(kernel), LinkInput::bytes(function)}, options))
          .empty());

  options = LinkOptions();
  options.release = "10.1";
  result = run({LinkInput::bytes(kernel)}, options);
  EXPECT_NE(result.exitStatus, 0);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_NE(result.diagnostics[0].text.find("10.1"), std::string::npos);
}

TEST_F(Request, TheNoteTellsWhoHasLinked) {
  auto tool = [&](LinkNote note) {
    LinkOptions options;
    options.note = note;
    const std::string bytes = image(
        run({LinkInput::bytes(kernel), LinkInput::bytes(function)}, options));
    Expected<CubinFile> file = CubinFile::create(MemoryBufferRef(bytes, ""));
    if (!file)
      return toString(file.takeError());
    auto notes =
        readTkInfoNotes(file->contents(file->findSection(".note.nv.tkinfo")));
    return notes ? notes->front().tool.str() : toString(notes.takeError());
  };
  EXPECT_EQ(tool(LinkNote::Own), "lld-cuda");
  EXPECT_EQ(tool(LinkNote::Nvlink), "nvlink");
  EXPECT_EQ(tool(LinkNote::NvJitLink), "nvJIT API");
}

TEST_F(Request, ABadInputIsToldByItself) {
  EXPECT_TRUE(check(LinkInput::bytes(kernel)).empty()); // Though it isn't all.
  // Of another architecture.
  EXPECT_FALSE(check(LinkInput::bytes(kernel), "sm_80").empty());
  // Cut off, wherever.
  for (size_t size : {64u, 100u, 1000u, unsigned(kernel.size() - 1)})
    EXPECT_FALSE(
        check(LinkInput::bytes(StringRef(kernel).take_front(size))).empty())
        << size;
}

/// A directory with a ptxas that must not run.
class TrapDirectory {
public:
  TrapDirectory() {
    EXPECT_FALSE(sys::fs::createUniqueDirectory("lld-cuda-trap", directory));
    mark = path("ran");
    std::error_code ec;
    {
      raw_fd_ostream os(path("ptxas"), ec);
      os << "#!/bin/sh\n: > '" << mark << "'\nexit 1\n";
    }
    ::chmod(path("ptxas").c_str(), 0755);
  }
  ~TrapDirectory() { sys::fs::remove_directories(directory); }
  std::string path(StringRef name) const {
    return (directory + "/" + name).str();
  }
  bool hasRun() const { return sys::fs::exists(mark); }
  SmallString<128> directory;

private:
  std::string mark;
};

TEST_F(Request, CompilersAreThoseThatAreNamed) {
  const std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k() { ret; }\n";
  TrapDirectory trap;
  const std::string before = ::getenv("PATH") ? ::getenv("PATH") : "";
  ::setenv("PATH", trap.directory.c_str(), 1);
  ::setenv("LLD_CUDA_FLAGS", "-bogus", 1);
  EXPECT_NE(run({LinkInput::bytes(ptx)}).exitStatus, 0);
  EXPECT_FALSE(trap.hasRun());
  ::unsetenv("LLD_CUDA_FLAGS");
  ::setenv("PATH", before.c_str(), 1);

  // Nor does a check compile.
  LinkOptions options;
  options.arch = "sm_90";
  options.ptxasPath = trap.path("ptxas");
  EXPECT_TRUE(checkInput(LinkInput::bytes(ptx), options).empty());
  EXPECT_FALSE(trap.hasRun());
  EXPECT_NE(run({LinkInput::bytes(ptx)}, options).exitStatus, 0);
  EXPECT_TRUE(trap.hasRun());
}

TEST_F(Request, BytesNeedNotOutliveTheLink) {
  LinkResult result;
  {
    const std::string a = kernel, b = function;
    result = run({LinkInput::bytes(a), LinkInput::bytes(b)});
  }
  EXPECT_EQ(image(result), expected());
}

} // namespace
