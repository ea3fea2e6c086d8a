//===- InputStoreTest.cpp - Inputs that several links share ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input/InputStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace lld::cuda;
using namespace llvm;

namespace {

constexpr unsigned Threads = 8;

/// What each of several threads gets.
template <typename Fn> auto getInThreads(Fn get) {
  std::vector<decltype(get())> results(Threads);
  std::vector<std::thread> threads;
  for (auto &result : results)
    threads.emplace_back([&] { result = get(); });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

TEST(OnceMap, MakesAValueOnce) {
  OnceMap<int, int> map;
  std::atomic<int> made{0};
  auto make = [&]() -> std::optional<int> { return ++made; };
  const auto results = getInThreads([&] { return map.get(5, make); });
  EXPECT_EQ(made, 1);
  for (const int *value : results)
    EXPECT_EQ(value, results.front());
  EXPECT_EQ(*results.front(), 1);
  EXPECT_EQ(*map.get(6, make), 2);
  EXPECT_EQ(*results.front(), 1); // It stays where it is.
}

TEST(OnceMap, TriesOnceWhatCantBeMade) {
  OnceMap<int, int> map;
  int tries = 0;
  auto make = [&]() -> std::optional<int> {
    ++tries;
    return std::nullopt;
  };
  EXPECT_EQ(map.get(1, make), nullptr);
  EXPECT_EQ(map.get(1, make), nullptr);
  EXPECT_EQ(tries, 1);
}

/// A host object of fatbinary's and nvcc's.
OpenedFile openInput(InputStore &store, const char *name) {
  return store.open(std::string(LLDCUDA_UNITTEST_INPUTS "/") + name,
                    /*lazy=*/false);
}

TEST(InputStore, OpensAFileOnce) {
  InputStore store;
  const auto files =
      getInThreads([&] { return openInput(store, "both.o").buffer; });
  ASSERT_TRUE(files.front());
  for (const auto &file : files)
    EXPECT_EQ(file, files.front());
  EXPECT_FALSE(openInput(store, "no such file").buffer);
  EXPECT_TRUE(openInput(store, "no such file").error);
}

TEST(InputStore, ReadsAndUnpacksOnce) {
  InputStore store;
  const OpenedFile file = openInput(store, "size.fatbin");
  ASSERT_TRUE(file.buffer);
  const StringRef data = file.buffer->getBuffer();
  const auto readers = getInThreads([&] { return store.getFatbin(data); });
  ASSERT_TRUE(readers.front());
  for (const FatbinReader *reader : readers)
    EXPECT_EQ(reader, readers.front());

  unsigned compressed = 0;
  for (const FatbinEntry &entry : readers.front()->entries()) {
    if (!entry.isCompressed())
      continue;
    ++compressed;
    std::atomic<uint64_t> asked{0};
    auto allow = [&](uint64_t size) {
      asked += size;
      return Error::success();
    };
    const auto payloads =
        getInThreads([&] { return store.getPayload(entry, allow); });
    // Memory is asked for once.
    EXPECT_EQ(asked, entry.uncompressedSize);
    SmallVector<uint8_t, 0> expected;
    ASSERT_FALSE(decompress(entry, uint64_t(1) << 30, expected));
    for (const std::optional<StringRef> &payload : payloads) {
      ASSERT_TRUE(payload);
      EXPECT_EQ(payload->data(), payloads.front()->data());
      EXPECT_EQ(*payload, toStringRef(expected));
    }
    if (entry.kind == FatbinKind::ELF) {
      EXPECT_TRUE(store.getCubin(*payloads.front()));
      EXPECT_EQ(store.getCubin(*payloads.front()),
                store.getCubin(*payloads.front()));
    }
  }
  EXPECT_GT(compressed, 0u);
}

TEST(InputStore, HasNoPayloadWithoutMemory) {
  InputStore store;
  const OpenedFile file = openInput(store, "size.fatbin");
  ASSERT_TRUE(file.buffer);
  const FatbinReader *reader = store.getFatbin(file.buffer->getBuffer());
  ASSERT_TRUE(reader);
  auto refuse = [](uint64_t) { return createStringError("no memory"); };
  for (const FatbinEntry &entry : reader->entries())
    if (entry.isCompressed()) {
      EXPECT_FALSE(store.getPayload(entry, refuse));
    }
}

TEST(InputStore, ReadsListsOfMembersOnce) {
  InputStore store;
  const OpenedFile file = openInput(store, "gnu.a");
  ASSERT_TRUE(file.buffer);
  const auto lists =
      getInThreads([&] { return store.getMembers(*file.buffer); });
  ASSERT_TRUE(lists.front());
  EXPECT_FALSE(lists.front()->empty());
  for (const auto *list : lists)
    EXPECT_EQ(list, lists.front());
}

/// A file of which only parts are read.
class LazyFile : public testing::Test {
protected:
  void SetUp() override {
    int fd;
    ASSERT_FALSE(sys::fs::createTemporaryFile("lld-cuda-lazy", "a", fd, path));
    ::close(fd);
    write('a');
  }
  void TearDown() override { sys::fs::remove(path); }

  /// An archive, as far as its first bytes tell.
  void write(char letter) {
    const std::string text = "!<arch>\n" + std::string(Size - 8, letter);
    const int fd = ::open(path.c_str(), O_WRONLY);
    ASSERT_EQ(::pwrite(fd, text.data(), text.size(), 0), ssize_t(text.size()));
    ::close(fd);
  }

  static constexpr size_t Size = 10'000;
  SmallString<128> path;
};

TEST_F(LazyFile, WhatWasReadStaysAsItWas) {
  InputStore store;
  const OpenedFile file = store.open(path.str().str(), /*lazy=*/true);
  ASSERT_TRUE(file.buffer);
  const StringRef data = file.buffer->getBuffer();
  ASSERT_EQ(data.size(), Size);
  EXPECT_EQ(data[5000], 0);
  file.buffer->load(data.slice(1000, 2000));
  file.buffer->load(data.slice(4000, 5000));
  file.buffer->load(data.slice(6000, 6000));
  write('b');
  // Overlaps both, the gap between them, and what is behind them.
  file.buffer->load(data.slice(1500, 5500));
  EXPECT_EQ(data.slice(0, 8), "!<arch>\n");
  EXPECT_EQ(data.slice(1000, 2000), std::string(1000, 'a'));
  EXPECT_EQ(data.slice(2000, 4000), std::string(2000, 'b'));
  EXPECT_EQ(data.slice(4000, 5000), std::string(1000, 'a'));
  EXPECT_EQ(data.slice(5000, 5500), std::string(500, 'b'));
  EXPECT_EQ(data.slice(5500, 6000), std::string(500, '\0'));
  file.buffer->load(data);
  EXPECT_EQ(data.slice(8, 64), std::string(56, 'a'));
  EXPECT_EQ(data.slice(64, 1000), std::string(936, 'b'));
  EXPECT_EQ(data.slice(1000, 2000), std::string(1000, 'a'));
  EXPECT_EQ(data.slice(5500, Size), std::string(Size - 5500, 'b'));
  EXPECT_EQ(store.findChanged(), std::vector<std::string>{path.str().str()});
}

TEST_F(LazyFile, IsUnchangedIfNobodyWritesToIt) {
  InputStore store;
  const OpenedFile file = store.open(path.str().str(), /*lazy=*/true);
  ASSERT_TRUE(file.buffer);
  file.buffer->load(file.buffer->getBuffer());
  EXPECT_TRUE(store.findChanged().empty());
}

} // namespace
