//===- TextSink.cpp - A dump as text --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints a dump as text, one fact on a line. cubin-dump's main() makes this
/// sink unless --json is given, before it visits the first input, and
/// DumpCubin.cpp writes the facts of each cubin to it. The text is made for
/// FileCheck, which the linker's tests use: each line can be understood alone
/// ("noun subject: fields", such as "symbol k: binding=GLOBAL ..."), and no
/// line's form depends on another's contents.
///
//===----------------------------------------------------------------------===//

#include "Sink.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {
namespace {

class TextSink final : public Sink {
public:
  explicit TextSink(raw_ostream &os) : os(os) {}

  void beginInput(StringRef kind, StringRef label) override {
    os << kind << ' ' << asPrintable(label) << '\n';
  }
  void endInput(ArrayRef<std::string>) override { os.flush(); }

  void single(StringRef key, const Fact &fact) override {
    for (const Field &field : fact.fields) {
      os << key << ": " << field.key << '=';
      field.value.print(os);
      os << '\n';
    }
  }
  void beginList(const FactList &list) override { noun = list.noun; }
  void fact(const Fact &fact) override {
    os << noun;
    if (!fact.subject.empty()) {
      os << ' ';
      printWord(os, fact.subject);
    }
    os << ": ";
    fact.printFields(os);
    os << '\n';
  }
  void endList() override {}
  void bytes(StringRef section, ArrayRef<uint8_t> bytes) override {
    constexpr size_t RowSize = 16;
    for (size_t i = 0; i < bytes.size(); i += RowSize) {
      os << "bytes ";
      printWord(os, section);
      os << "+0x";
      os.write_hex(i);
      os << ": " << toHex(bytes.slice(i).take_front(RowSize), true) << '\n';
    }
  }

private:
  raw_ostream &os;
  StringRef noun;
};

} // namespace

std::unique_ptr<Sink> makeTextSink(raw_ostream &os) {
  return std::make_unique<TextSink>(os);
}

} // namespace lld::cuda
