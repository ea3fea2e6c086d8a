//===- LinkFuzzer.cpp - Fuzzes whole links --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes whole links. libFuzzer calls LLVMFuzzerTestOneInput() with each input
/// that it makes, in runs of scripts/fuzz.sh; an input has options and up to
/// eight files (FuzzInput.h), which are linked in this process, through the
/// library's entry point. A link must end in one of two ways: with a message
/// and no output, or without an error and with an output that can be read in
/// full, the same one each time.
///
/// The files are in a directory of their own in memory, which is removed when
/// the fuzzer ends.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "FuzzUtils.h"
#include "lld-cuda/Dump/Facts.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <csignal>
#include <list>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::fuzz;

static std::string directory;

/// No kernel keeps to this, so that --budget explains all that one needs.
static constexpr StringLiteral BudgetOfAll = "[\"*\"]\nregisters = 0\n"
                                             "stack = 0\nshared = 0\n"
                                             "barriers = 0\ncode = 0\n";

static std::string inDirectory(StringRef name) {
  return (directory + "/" + name).str();
}

static void removeDirectory() { sys::fs::remove_directories(directory); }

static void writeFile(const std::string &name, StringRef bytes) {
  std::error_code ec;
  raw_fd_ostream os(name, ec);
  require(!ec);
  os << bytes;
}

static std::string fileName(LinkFileKind kind, size_t index) {
  static constexpr const char *suffixes[] = {".cubin", ".fatbin", ".o", ".a",
                                             "cudadevrt.a"};
  return inDirectory("f" + std::to_string(index) + suffixes[unsigned(kind)]);
}

/// PTX isn't compiled here: no compiler is found.
static void hideCompilers() {
  ::setenv("PATH", directory.c_str(), 1);
  ::unsetenv("CUDA_HOME");
  ::unsetenv("CUDA_PATH");
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  SmallString<64> path;
  const char *base = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  sys::fs::createUniqueDirectory(Twine(base) + "/link-fuzzer", path);
  directory = std::string(path);
  hideCompilers();
  writeFile(inDirectory("budget"), BudgetOfAll);
  writeFile(inDirectory("kernels"), "k # and no other\n");
  writeFile(inDirectory("control"), "\x01\n");
  std::atexit(removeDirectory);
  // An output larger than this is taken for a full disk.
  constexpr rlim_t maxFileSize = 64 << 20;
  rlimit limit{maxFileSize, maxFileSize};
  require(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  return 0;
}

static std::unique_ptr<MemoryBuffer> readFile(const std::string &name) {
  auto buffer = MemoryBuffer::getFile(name);
  return buffer ? std::move(*buffer) : nullptr;
}

/// Reads everything that cubin-dump would.
static void checkOutput(StringRef data) {
  Expected<CubinFile> file = CubinFile::create({data, "output"});
  if (!file) {
    errs() << toString(file.takeError()) << '\n';
    abort();
  }
  Labels labels = Labels::forReaders(*file);
  for (unsigned i = 1; i < file->sections().size(); ++i)
    if (const RecordReader *reader = recordReaderFor(*file, i))
      if (Error e = reader->read(*file, labels, i, [](Fact &&) {})) {
        errs() << toString(std::move(e)) << '\n';
        abort();
      }
}

static std::unique_ptr<MemoryBuffer> runLink(const FuzzInput &input) {
  std::string arch =
      std::string("-arch=") + LinkArchitectures[input.architecture];
  std::vector<std::string> names;
  for (size_t i = 0; i != input.files.size(); ++i)
    names.push_back(fileName(input.files[i].kind, i));
  const bool isLld = input.options & LldFlavor;
  const std::string program = inDirectory(isLld ? "ld.cuda" : "nvlink"),
                    output = inDirectory("out");
  std::vector<const char *> args{program.c_str(), arch.c_str(), "-o",
                                 output.c_str()};
  ArrayRef<const char *> options = FuzzOptions;
  if (isLld)
    options = LldOptions;
  std::list<std::string> storage;
  for (unsigned i = 0; i != options.size(); ++i) {
    if (!(input.options >> i & 1))
      continue;
    StringRef option = options[i];
    auto [name, file] = option.rsplit('@');
    if (!file.empty())
      option = storage.emplace_back(name.str() + inDirectory(file));
    args.push_back(option.data());
  }
  for (const std::string &name : names)
    args.push_back(name.c_str());

  std::string out, err;
  raw_string_ostream outStream(out), errStream(err);
  bool ok = link(args, outStream, errStream, /*exitEarly=*/false,
                 /*disableOutput=*/false);
  StringRef messages = err;
  require(ok != (messages.contains("nvlink error") ||
                 messages.contains("nvlink fatal") ||
                 messages.contains("ld.cuda: error: ")));
  std::unique_ptr<MemoryBuffer> result = readFile(output);
  ::unlink(output.c_str());
  const bool isVirtual = StringRef(arch).contains("compute");
  require(!!result == (ok && !isVirtual));
  for (const char *name : {"reg", "dot", "map", "dep", "repro.tar"})
    ::unlink(inDirectory(name).c_str());
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  // Here and not in LLVMFuzzerInitialize(): libFuzzer installs a handler of its
  // own after that.
  [[maybe_unused]] static auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  FuzzInput input =
      FuzzInput::unpack({reinterpret_cast<const char *>(bytes), size});
  for (size_t i = 0; i != input.files.size(); ++i)
    writeFile(fileName(input.files[i].kind, i), input.files[i].bytes);
  if (std::unique_ptr<MemoryBuffer> output = runLink(input)) {
    checkOutput(output->getBuffer());
    // Every few times, see that the first link left nothing behind.
    constexpr unsigned interval = 16;
    if (size_t(xxh3_64bits({bytes, size})) % interval == 0) {
      std::unique_ptr<MemoryBuffer> again = runLink(input);
      require(again && again->getBuffer() == output->getBuffer());
    }
  }
  for (size_t i = 0; i != input.files.size(); ++i)
    ::unlink(fileName(input.files[i].kind, i).c_str());
  return 0;
}
