//===- ResourceJson.cpp - Resource reports as JSON ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The form is docs/manual/resource-report.schema.json. What is 0, false or
/// empty is left out where the schema says so.
///
//===----------------------------------------------------------------------===//

#include "Report/ResourceModel.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lld::cuda::report {

constexpr int64_t FormatVersion = 1;

namespace {

class JsonWriter {
public:
  explicit JsonWriter(raw_ostream &os) : j(os) {}
  void write(const Report &report);

private:
  void write(const Image &image);
  void write(const Kernel &k);
  void writeShared(const Kernel &k);
  void write(const Object &o);
  void write(const Change &c);
  void write(const DeviceFunction &f);
  void write(StringRef name, const Inherited &value);
  void number(StringRef name, uint64_t value) {
    j.attribute(name, int64_t(value));
  }
  void unlessZero(StringRef name, uint64_t value) {
    if (value)
      number(name, value);
  }
  /// Names of inputs may be no UTF-8.
  void text(StringRef name, StringRef value) {
    if (json::isUTF8(value))
      j.attribute(name, value);
    else
      j.attribute(name, json::fixUTF8(value));
  }
  template <typename T> void list(StringRef name, const T &values) {
    j.attributeArray(name, [&] {
      for (const auto &value : values)
        write(value);
    });
  }

  json::OStream j;
};

} // namespace

void JsonWriter::write(StringRef name, const Inherited &value) {
  j.attributeObject(name, [&] {
    number("own", value.own);
    number("total", value.total);
    if (!value.from.empty())
      text("from", value.from);
  });
}

void JsonWriter::writeShared(const Kernel &k) {
  if (!k.shared && !k.hasDynamicShared)
    return;
  j.attributeObject("shared", [&] {
    number("bytes", k.shared);
    number("reserved", k.sharedReserved);
    j.attribute("dynamic", k.hasDynamicShared);
    j.attributeArray("variables", [&] {
      for (const SharedPlace &p : k.places)
        j.object([&] {
          text("symbol", p.symbol);
          number("offset", p.offset);
          number("size", p.size);
          j.attribute("common", p.isCommon);
        });
    });
  });
}

void JsonWriter::write(const Kernel &k) {
  j.object([&] {
    text("symbol", k.symbol);
    number("object", k.object);
    write("registers", k.registers);
    write("barriers", k.barriers);
    number("localBytes", k.frame);
    if (k.stack)
      number("stackBytes", *k.stack);
    else
      j.attribute("stackBytes", nullptr);
    if (!k.path.empty())
      j.attributeArray("stackPath", [&] {
        for (const StackStep &s : k.path)
          j.object([&] {
            text("symbol", s.symbol);
            number("frame", s.frame);
          });
      });
    writeShared(k);
    j.attributeObject("constants", [&] {
      for (auto [bank, size] : k.constants)
        number(bank ? "2" : "0", size);
    });
    unlessZero("textures", k.textures);
    unlessZero("surfaces", k.surfaces);
    unlessZero("samplers", k.samplers);
    number("codeBytes", k.code);
    if (k.codeWithCallees)
      number("codeBytesWithCallees", *k.codeWithCallees);
    if (const std::optional<Occupancy> &o = k.occupancy)
      j.attributeObject("occupancy", [&] {
        number("threads", o->threads);
        number("blocks", o->blocks);
        number("warps", o->warps);
        number("maxWarps", o->maxWarps);
        j.attribute("limit", o->limit);
      });
  });
}

void JsonWriter::write(const DeviceFunction &f) {
  j.object([&] {
    text("symbol", f.symbol);
    number("object", f.object);
    number("registers", f.registers);
    number("localBytes", f.frame);
    number("codeBytes", f.code);
  });
}

void JsonWriter::write(const Object &o) {
  j.object([&] {
    text("name", o.label);
    if (!o.library.empty())
      text("library", o.library);
    number("kernels", o.kernels);
    number("functions", o.functions);
    number("droppedFunctions", o.droppedFunctions);
    number("codeBytes", o.code);
    number("droppedCodeBytes", o.droppedCode);
    number("dataBytes", o.data);
  });
}

void JsonWriter::write(const Change &c) {
  j.object([&] {
    text("symbol", c.symbol);
    j.attribute("what", c.what);
    j.attribute("before", c.before);
    j.attribute("after", c.after);
  });
}

void JsonWriter::write(const Image &image) {
  j.object([&] {
    text("arch", image.arch);
    text("output", image.output);
    j.attributeObject("totals", [&] {
      number("kernels", image.kernels.size());
      number("functions", image.functions.size());
      number("codeBytes", image.code);
      number("droppedCodeBytes", image.droppedCode);
      number("globalBytes", image.globalMemory);
      number("constantBytes", image.constantMemory);
    });
    list("objects", image.objects);
    list("kernels", image.kernels);
    list("functions", image.functions);
    if (image.isCompared)
      list("changes", image.changes);
  });
}

void JsonWriter::write(const Report &report) {
  j.object([&] {
    j.attribute("version", FormatVersion);
    list("images", report.images);
  });
}

void writeJson(raw_ostream &os, const Report &report) {
  JsonWriter(os).write(report);
  os << '\n';
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// What is missing or of another type is 0 or empty: a baseline may have been
/// written by somebody else.
class JsonReader {
public:
  explicit JsonReader(Report &report) : report(report) {}
  Image readImage(const json::Object &o);

private:
  Kernel readKernel(const json::Object &o);
  void readShared(const json::Object &o, Kernel &k);
  Inherited readInherited(const json::Object *o);
  StringRef text(const json::Object &o, StringRef name) {
    return report.saver.save(o.getString(name).value_or(""));
  }
  static uint64_t number(const json::Object &o, StringRef name) {
    return o.getInteger(name).value_or(0);
  }
  template <typename Visit>
  static void forEach(const json::Object &o, StringRef name, Visit visit) {
    if (const json::Array *list = o.getArray(name))
      for (const json::Value &value : *list)
        if (const json::Object *item = value.getAsObject())
          visit(*item);
  }

  Report &report;
};

} // namespace

Inherited JsonReader::readInherited(const json::Object *o) {
  Inherited value;
  if (o) {
    value.own = number(*o, "own");
    value.total = number(*o, "total");
    value.from = text(*o, "from");
  }
  return value;
}

void JsonReader::readShared(const json::Object &o, Kernel &k) {
  k.shared = number(o, "bytes");
  k.sharedReserved = number(o, "reserved");
  k.hasDynamicShared = o.getBoolean("dynamic").value_or(false);
  forEach(o, "variables", [&](const json::Object &v) {
    k.places.push_back({text(v, "symbol"), number(v, "offset"),
                        number(v, "size"),
                        v.getBoolean("common").value_or(false)});
  });
}

Kernel JsonReader::readKernel(const json::Object &o) {
  Kernel k;
  k.symbol = text(o, "symbol");
  k.object = number(o, "object");
  k.registers = readInherited(o.getObject("registers"));
  k.barriers = readInherited(o.getObject("barriers"));
  k.frame = number(o, "localBytes");
  if (std::optional<int64_t> stack = o.getInteger("stackBytes"))
    k.stack = *stack;
  forEach(o, "stackPath", [&](const json::Object &s) {
    k.path.push_back({text(s, "symbol"), uint32_t(number(s, "frame"))});
  });
  if (const json::Object *shared = o.getObject("shared"))
    readShared(*shared, k);
  if (const json::Object *banks = o.getObject("constants"))
    for (auto [bank, name] : {std::pair(0u, "0"), std::pair(2u, "2")})
      if (uint64_t size = number(*banks, name))
        k.constants.push_back({bank, size});
  k.textures = number(o, "textures");
  k.surfaces = number(o, "surfaces");
  k.samplers = number(o, "samplers");
  k.code = number(o, "codeBytes");
  if (std::optional<int64_t> code = o.getInteger("codeBytesWithCallees"))
    k.codeWithCallees = *code;
  if (const json::Object *from = o.getObject("occupancy")) {
    Occupancy &occupancy = k.occupancy.emplace();
    occupancy.threads = number(*from, "threads");
    occupancy.blocks = number(*from, "blocks");
    occupancy.warps = number(*from, "warps");
    occupancy.maxWarps = number(*from, "maxWarps");
    occupancy.limit = text(*from, "limit");
  }
  return k;
}

Image JsonReader::readImage(const json::Object &o) {
  Image image;
  image.arch = text(o, "arch");
  image.output = text(o, "output");
  if (const json::Object *totals = o.getObject("totals")) {
    image.code = number(*totals, "codeBytes");
    image.droppedCode = number(*totals, "droppedCodeBytes");
    image.globalMemory = number(*totals, "globalBytes");
    image.constantMemory = number(*totals, "constantBytes");
  }
  forEach(o, "objects", [&](const json::Object &from) {
    Object &object = image.objects.emplace_back();
    object.label = text(from, "name");
    object.library = text(from, "library");
    object.kernels = number(from, "kernels");
    object.functions = number(from, "functions");
    object.droppedFunctions = number(from, "droppedFunctions");
    object.code = number(from, "codeBytes");
    object.droppedCode = number(from, "droppedCodeBytes");
    object.data = number(from, "dataBytes");
  });
  forEach(o, "kernels", [&](const json::Object &from) {
    image.kernels.push_back(readKernel(from));
  });
  forEach(o, "functions", [&](const json::Object &from) {
    image.functions.push_back(
        {text(from, "symbol"), uint32_t(number(from, "object")),
         uint32_t(number(from, "registers")),
         uint32_t(number(from, "localBytes")), number(from, "codeBytes")});
  });
  image.isCompared = o.get("changes");
  forEach(o, "changes", [&](const json::Object &from) {
    image.changes.push_back({text(from, "symbol"), text(from, "what"),
                             from.getInteger("before").value_or(0),
                             from.getInteger("after").value_or(0)});
  });
  return image;
}

Error readJson(StringRef text, Report &report) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *top = value->getAsObject();
  const json::Array *images = top ? top->getArray("images") : nullptr;
  if (!images || top->getInteger("version") != FormatVersion)
    return createStringError("it is no resource report of this version");
  JsonReader reader(report);
  for (const json::Value &image : *images)
    if (const json::Object *o = image.getAsObject())
      report.images.push_back(reader.readImage(*o));
  return Error::success();
}

} // namespace lld::cuda::report
