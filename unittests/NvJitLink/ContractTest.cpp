//===- ContractTest.cpp - What each function does with its arguments ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <cstring>

using namespace nvjitlink;

namespace {

TEST(Contract, LinksTwoCubins) {
  Link link(Sm90);
  ASSERT_EQ(link.created, Success);
  EXPECT_EQ(link.add(Cubin, kernel(), "a"), Success);
  EXPECT_EQ(link.add(Cubin, function(), "b"), Success);
  EXPECT_EQ(link.complete(), Success);
  EXPECT_EQ(link.cubin().substr(0, 4), "\x7f"
                                       "ELF");
  EXPECT_TRUE(link.cubin() == link.cubin());
  EXPECT_EQ(link.errors(), "");
  EXPECT_EQ(link.infos(), "");
}

TEST(Contract, SaysItsVersion) {
  unsigned major = 0, minor = 0;
  EXPECT_EQ(of13().version(&major, &minor), Success);
  EXPECT_EQ(major, 13u);
  EXPECT_EQ(minor, 5u);
  EXPECT_EQ(of12().version(&major, &minor), Success);
  EXPECT_EQ(major, 12u);
  EXPECT_EQ(minor, 9u);
}

TEST(Contract, WritesNothingOfAVersionThatIsAskedForInPart) {
  unsigned number = 77;
  EXPECT_EQ(of13().version(nullptr, &number), NullInput);
  EXPECT_EQ(of13().version(&number, nullptr), NullInput);
  EXPECT_EQ(of12().version(nullptr, nullptr), InvalidInput);
  EXPECT_EQ(number, 77u);
}

TEST(Contract, RefusesNullHandles) {
  struct {
    const Library &library;
    int expected;
  } cases[] = {{of13(), NullInput}, {of12(), InvalidInput}};
  for (auto &[library, expected] : cases) {
    size_t size = 99;
    char text[4] = "abc";
    Handle none = nullptr;
    EXPECT_EQ(library.addData(nullptr, Cubin, "x", 1, "x"), expected);
    EXPECT_EQ(library.addFile(nullptr, Cubin, "x"), expected);
    EXPECT_EQ(library.complete(nullptr), expected);
    EXPECT_EQ(library.destroy(nullptr), expected);
    EXPECT_EQ(library.destroy(&none), expected);
    for (const char *what :
         {"LinkedCubin", "LinkedPtx", "LinkedLTOIR", "ErrorLog", "InfoLog"}) {
      EXPECT_EQ(library.get(std::string(what) + "Size")(nullptr, &size),
                expected);
      EXPECT_EQ(library.get(what)(nullptr, text), expected);
    }
    EXPECT_EQ(size, 99u);
    EXPECT_STREQ(text, "abc");
  }
}

TEST(Contract, RefusesNullOutPointers) {
  for (const Library *library : {&of13(), &of12()}) {
    const int expected = library == &of13() ? NullInput : InvalidInput;
    Link link(*library, Sm90);
    for (const char *what :
         {"LinkedCubin", "LinkedPtx", "LinkedLTOIR", "ErrorLog", "InfoLog"}) {
      EXPECT_EQ(library->get(std::string(what) + "Size")(link.handle, nullptr),
                expected);
      EXPECT_EQ(library->get(what)(link.handle, nullptr), expected);
    }
    EXPECT_EQ(library->addFile(link.handle, Cubin, nullptr), expected);
  }
}

TEST(Contract, CreatesNothingForNullArguments) {
  const char *option = "-arch=sm_90";
  Handle handle = nullptr;
  EXPECT_EQ(of13().create(nullptr, 1, &option), NullInput);
  EXPECT_EQ(of13().create(&handle, 1, nullptr), NullInput);
  EXPECT_EQ(of13().create(&handle, 0, nullptr), NullInput);
  EXPECT_EQ(of12().create(nullptr, 1, &option), InvalidInput);
  EXPECT_EQ(of12().create(&handle, 0, nullptr), InvalidInput);
  EXPECT_EQ(handle, nullptr);
}

TEST(Contract, KeepsAHandleForTheLogOfWrongOptions) {
  Handle handle = nullptr;
  const char *options[] = {"-arch=sm_90", nullptr};
  EXPECT_EQ(of13().create(&handle, 2, options), NullInput);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(of13().destroy(&handle), Success);
  EXPECT_EQ(handle, nullptr);

  Link link({});
  EXPECT_EQ(link.created, MissingArch);
  ASSERT_NE(link.handle, nullptr);
  EXPECT_NE(link.errors().find("-arch"), std::string::npos);
}

TEST(Contract, DoesNothingAfterAFailedCreate) {
  for (const Library *library : {&of13(), &of12()}) {
    Link link(*library, {"-arch=sm_90", "-bogus"});
    EXPECT_EQ(link.created, UnrecognizedOption);
    EXPECT_EQ(link.errors(), "unrecognized option: -bogus\n");
    EXPECT_EQ(link.add(Cubin, kernel()), Internal);
    EXPECT_EQ(link.complete(), Internal);
    size_t size = 99;
    EXPECT_EQ(link.size("LinkedCubin", size), Internal);
    EXPECT_EQ(size, 99u);
  }
}

TEST(Contract, TellsHandlesThatArent) {
  Link link(Sm90);
  Handle copy = link.handle;
  EXPECT_EQ(of13().destroy(&link.handle), Success);
  EXPECT_EQ(link.handle, nullptr);
  EXPECT_EQ(of13().complete(copy), InvalidInput);
  EXPECT_EQ(of13().destroy(&copy), InvalidInput);
  char garbage[64] = {};
  EXPECT_EQ(of13().complete(garbage), InvalidInput);
  Link other(Sm90); // Which hasn't the number of one before.
  EXPECT_EQ(of13().complete(copy), InvalidInput);
}

TEST(Contract, WantsData) {
  for (int type : {Cubin, Ptx, LtoIR, Fatbin, Object, Archive, Index, Any}) {
    Link link({"-arch=sm_90", type == LtoIR ? "-lto" : "-g"});
    EXPECT_EQ(of13().addData(link.handle, type, nullptr, 0, "x"), InvalidInput);
    EXPECT_EQ(of13().addData(link.handle, type, nullptr, 5, "x"), InvalidInput);
    EXPECT_EQ(of13().addData(link.handle, type, "abc", 0, "x"), InvalidInput);
    EXPECT_NE(link.errors(), "");
  }
}

TEST(Contract, CopiesDataAndName) {
  Link link(Sm90);
  std::string data = kernel();
  char name[] = "first.cubin";
  EXPECT_EQ(link.add(Cubin, data, name), Success);
  std::fill(data.begin(), data.end(), '\0');
  strcpy(name, "XXXXXXXXXXX");
  EXPECT_EQ(link.complete(), Internal);
  EXPECT_EQ(link.errors().substr(0, link.errors().find('\n')),
            "error   : Undefined reference to 'scale' in 'first.cubin'");
}

TEST(Contract, LinksNothing) {
  for (const Library *library : {&of13(), &of12()}) {
    Link link(*library, Sm90);
    EXPECT_EQ(link.complete(), Success);
    EXPECT_EQ(link.cubin().substr(1, 3), "ELF");
  }
}

TEST(Contract, LinksOnce) {
  Link link(Sm90);
  EXPECT_EQ(link.add(Cubin, function()), Success);
  EXPECT_EQ(link.complete(), Success);
  const std::string cubin = link.cubin();
  EXPECT_EQ(link.complete(), Internal);
  EXPECT_EQ(link.errors(), "");
  EXPECT_TRUE(link.cubin() == cubin);
  EXPECT_EQ(link.add(Cubin, kernel()), Internal);
  EXPECT_NE(link.errors(), "");
  EXPECT_EQ(link.complete(), Internal);
  EXPECT_TRUE(link.cubin() == cubin);
}

TEST(Contract, LinksTheOthersAfterFailedAdds) {
  Link link(Sm90);
  size_t size = 0;
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(link.add(Cubin, "garbage"), IncorrectInputType);
    const size_t before = size;
    EXPECT_EQ(link.size("ErrorLog", size), Success);
    EXPECT_GT(size, before); // Which is never cleared.
  }
  EXPECT_EQ(link.add(Cubin, kernel()), Success);
  EXPECT_EQ(link.add(Cubin, function()), Success);
  EXPECT_EQ(link.complete(), Success);
  EXPECT_EQ(link.cubin().substr(1, 3), "ELF");
}

TEST(Contract, HasNoImageAfterAnError) {
  for (const Library *library : {&of13(), &of12()}) {
    Link link(*library, Sm90);
    EXPECT_EQ(
        link.add(Cubin,
                 library == &of13()
                     ? kernel()
                     : corpus("calls/barrier-caller.sm_90.cuda129.cubin")),
        Success)
        << link.errors();
    EXPECT_EQ(link.complete(), Internal);
    const std::string last =
        library == &of13() ? "\nERROR 9: complete\n" : "\nERROR 9: finish\n";
    EXPECT_NE(link.errors().find(last), std::string::npos) << link.errors();
    size_t size = 99;
    EXPECT_EQ(link.size("LinkedCubin", size), Internal);
    EXPECT_EQ(size, 99u);
    EXPECT_EQ(link.complete(), Internal);
  }
}

TEST(Contract, HasNoOutputBeforeTheLink) {
  Link link(Sm90);
  size_t size = 99;
  char text[4] = "abc";
  EXPECT_EQ(link.size("LinkedCubin", size), Internal);
  EXPECT_EQ(of13().get("LinkedCubin")(link.handle, text), Internal);
  EXPECT_EQ(link.size("LinkedPtx", size), InvalidInput);
  EXPECT_EQ(link.size("LinkedLTOIR", size), InvalidInput);
  EXPECT_EQ(size, 99u);
  EXPECT_STREQ(text, "abc");

  Link lto({"-arch=sm_90", "-lto"});
  EXPECT_EQ(lto.size("LinkedLTOIR", size), Internal);
  EXPECT_EQ(lto.size("LinkedPtx", size), InvalidInput);
}

TEST(Contract, WritesNothingOfAnEmptyLog) {
  Link link(Sm90);
  for (const char *what : {"ErrorLog", "InfoLog"}) {
    size_t size = 99;
    EXPECT_EQ(link.size(what, size), Success);
    EXPECT_EQ(size, 0u);
    char text = 'a';
    EXPECT_EQ(of13().get(what)(link.handle, &text), Success);
    EXPECT_EQ(text, 'a');
  }
}

TEST(Contract, TellsDefinitionsThatAreThereAlready) {
  Link link(Sm90);
  EXPECT_EQ(link.add(Cubin, function(), "b1"), Success);
  testing::internal::CaptureStderr();
  EXPECT_EQ(link.add(Cubin, function(), "b2"), InvalidInput);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(link.errors().find("error   : Multiple definition of 'scale' in "
                               "'b2', first defined in 'b1'\n"),
            std::string::npos)
      << link.errors();
  EXPECT_EQ(link.add(Cubin, kernel(), "a"), Success);
  EXPECT_EQ(link.complete(), Success);
}

} // namespace
