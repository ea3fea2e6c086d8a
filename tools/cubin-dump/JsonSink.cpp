//===- JsonSink.cpp - A dump as JSON --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints a dump as one JSON document, for programs. cubin-dump's main() makes
/// this sink for --json before it visits the first input, and DumpCubin.cpp
/// writes the facts of each cubin to it. The document is {"inputs": [...]}: an
/// object for each input, in it an array for each list of facts. The
/// constructor writes its beginning and the destructor its end. Strings of a
/// cubin need not be UTF-8; they are repaired here, since JSON must be.
///
//===----------------------------------------------------------------------===//

#include "Sink.h"
#include "lld-cuda/Support/Json.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {
namespace {

/// Strings of a cubin need not be UTF-8.
json::Value jsonString(StringRef s) { return json::fixUTF8(s); }

json::Value jsonValue(const Value &value) {
  switch (value.kind) {
  case Value::Name:
  case Value::Text:
    return jsonString(value.text);
  case Value::Hex:
  case Value::Decimal:
    return value.number;
  case Value::Signed:
    return int64_t(value.number);
  case Value::Names: {
    json::Array array;
    for (const std::string &name : value.names)
      array.push_back(jsonString(name));
    return array;
  }
  case Value::Hexes: {
    json::Array array;
    for (uint64_t number : value.numbers)
      array.push_back(number);
    return array;
  }
  }
  llvm_unreachable("all kinds are covered");
}

class JsonSink final : public Sink {
public:
  explicit JsonSink(raw_ostream &os) : text(os), json(text, /*IndentSize=*/1) {
    json.objectBegin();
    json.attributeBegin("inputs");
    json.arrayBegin();
  }
  ~JsonSink() override {
    json.arrayEnd();
    json.attributeEnd();
    json.objectEnd();
    json.flush();
  }

  void beginInput(StringRef kind, StringRef label) override {
    json.objectBegin();
    json.attribute("kind", kind);
    json.attribute("name", jsonString(label));
  }
  void endInput(ArrayRef<std::string> errors) override {
    endBytes();
    json.attributeArray("errors", [&] {
      for (const std::string &error : errors)
        json.value(jsonString(error));
    });
    json.objectEnd();
  }

  void single(StringRef key, const Fact &fact) override {
    json.attributeObject(key, [&] { addFields(fact); });
  }
  void beginList(const FactList &list) override {
    endBytes();
    subject = list.subject;
    json.attributeBegin(list.key);
    json.arrayBegin();
  }
  void fact(const Fact &fact) override {
    json.object([&] {
      if (!fact.subject.empty())
        json.attribute(subject, jsonString(fact.subject));
      addFields(fact);
    });
  }
  void endList() override {
    json.arrayEnd();
    json.attributeEnd();
  }
  void bytes(StringRef section, ArrayRef<uint8_t> bytes) override {
    if (!inBytes) {
      json.attributeBegin("bytes");
      json.arrayBegin();
      inBytes = true;
    }
    json.object([&] {
      json.attribute("section", jsonString(section));
      json.attribute("bytes", toHex(bytes, /*LowerCase=*/true));
    });
  }

private:
  void addFields(const Fact &fact) {
    for (const Field &field : fact.fields)
      json.attribute(field.key, jsonValue(field.value));
  }
  void endBytes() {
    if (!inBytes)
      return;
    json.arrayEnd();
    json.attributeEnd();
    inBytes = false;
  }

  PrintableJsonStream text;
  json::OStream json;
  StringRef subject;
  bool inBytes = false;
};

} // namespace

std::unique_ptr<Sink> makeJsonSink(raw_ostream &os) {
  return std::make_unique<JsonSink>(os);
}

} // namespace lld::cuda
