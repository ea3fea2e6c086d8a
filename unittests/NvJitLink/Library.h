//===- Library.h - libnvJitLink, loaded by tests ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// This project's libnvJitLink (bindings/nvjitlink) as a program uses it:
/// loaded by dlopen(), through the interface that NVIDIA documents. All tests
/// of this folder make Links, which call the library's functions and are
/// destroyed at the end. Results are numbers as in NVIDIA's headers.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_UNITTESTS_NVJITLINK_LIBRARY_H
#define LLD_CUDA_UNITTESTS_NVJITLINK_LIBRARY_H

#include "gtest/gtest.h"
#include <cstdint>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace nvjitlink {

/// Results, in the order of CUDA 13's header.
enum Code {
  Success,
  UnrecognizedOption,
  MissingArch,
  InvalidInput,
  PtxCompile,
  NvvmCompile,
  Internal,
  Threadpool,
  UnrecognizedInput,
  Finalize,
  NullInput,
  IncompatibleOptions,
  IncorrectInputType,
  ArchMismatch,
  OutdatedLibrary,
  MissingFatbin,
  UnrecognizedArch,
  UnsupportedArch,
  LtoNotEnabled
};

enum Type { None, Cubin, Ptx, LtoIR, Fatbin, Object, Archive, Index, Any = 10 };

using Handle = void *;

/// A function that gets a handle and one pointer, as most do.
using GetFn = int(Handle, void *);

struct Library {
  void *file;
  int (*create)(Handle *, uint32_t, const char **);
  int (*destroy)(Handle *);
  int (*addData)(Handle, int, const void *, size_t, const char *);
  int (*addFile)(Handle, int, const char *);
  int (*complete)(Handle);
  int (*version)(unsigned *, unsigned *);

  explicit Library(unsigned major) {
    const std::string path = std::string(LLDCUDA_NVJITLINK_FOLDER) +
                             "/libnvJitLink.so." + std::to_string(major);
    file = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_TRUE(file) << dlerror();
    set(create, "nvJitLinkCreate");
    set(destroy, "nvJitLinkDestroy");
    set(addData, "nvJitLinkAddData");
    set(addFile, "nvJitLinkAddFile");
    set(complete, "nvJitLinkComplete");
    set(version, "nvJitLinkVersion");
  }
  GetFn *get(const std::string &what) const {
    return reinterpret_cast<GetFn *>(
        dlsym(file, ("nvJitLinkGet" + what).c_str()));
  }
  template <typename Fn> void set(Fn *&function, const char *name) {
    function = reinterpret_cast<Fn *>(dlsym(file, name));
    EXPECT_TRUE(function) << name;
  }
};

inline const Library &of13() {
  static const Library library(13);
  return library;
}
inline const Library &of12() {
  static const Library library(12);
  return library;
}

class Link {
public:
  Link(const Library &library, std::vector<std::string> options)
      : library(library) {
    std::vector<const char *> words;
    words.reserve(options.size() +
                  1); // So that an empty one is no null pointer.
    for (const std::string &option : options)
      words.push_back(option.c_str());
    created = library.create(&handle, words.size(), words.data());
  }
  explicit Link(std::vector<std::string> options) : Link(of13(), options) {}
  ~Link() {
    if (handle) {
      EXPECT_EQ(library.destroy(&handle), Success);
    }
  }
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;

  int add(int type, const std::string &content, const char *name = "in") {
    return library.addData(handle, type, content.data(), content.size(), name);
  }
  int complete() { return library.complete(handle); }

  /// Calls the function that returns the size of `what`, such as "LinkedCubin".
  /// Returns its result.
  int size(const char *what, size_t &bytes) const {
    return library.get(std::string(what) + "Size")(handle, &bytes);
  }
  /// Returns an output or log; empty if there is none. Expects that the library
  /// writes no more than its size.
  std::string text(const char *what) const {
    size_t bytes = 0;
    if (size(what, bytes) != Success)
      return "";
    constexpr size_t Guard = 16;
    std::string buffer(bytes + Guard, '\xaa');
    EXPECT_EQ(library.get(what)(handle, buffer.data()), Success);
    EXPECT_EQ(buffer.substr(bytes), std::string(Guard, '\xaa'));
    return buffer.substr(0, bytes);
  }
  std::string cubin() const { return text("LinkedCubin"); }
  /// Returns the error log without the NUL at its end, which must be there.
  std::string errors() const { return withoutNul(text("ErrorLog")); }
  std::string infos() const { return withoutNul(text("InfoLog")); }

  const Library &library;
  Handle handle = nullptr;
  int created;

private:
  static std::string withoutNul(std::string text) {
    if (text.empty())
      return text;
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
  }
};

/// Returns a file of test/corpus/Inputs, which NVIDIA's tools made.
inline std::string corpus(const std::string &name) {
  std::ifstream file(std::string(LLDCUDA_UNITTEST_INPUTS) +
                         "/../../test/corpus/Inputs/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The options of most links: the target of kernel() and function().
const std::vector<std::string> Sm90 = {"-arch=sm_90"};

/// Return a cubin with a kernel, and one with the function that it calls.
inline const std::string &kernel() {
  static const std::string content = corpus("calls/calls-kernel.sm_90.cubin");
  return content;
}
inline const std::string &function() {
  static const std::string content = corpus("calls/calls-function.sm_90.cubin");
  return content;
}

} // namespace nvjitlink

#endif
