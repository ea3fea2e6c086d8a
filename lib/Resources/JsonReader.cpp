//===- JsonReader.cpp - Resource reports that were written earlier --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker's ResourceReport.cpp calls readJson() for the baseline of a
/// comparison. Somebody else may have written or edited the file, so what is
/// missing, negative or of another type counts as 0 or empty, and only a file
/// that is no report of a known version is an error. A deepest callee that
/// isn't a number of 32 bits becomes -1, which means none.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Resources/Report.h"
#include "lld-cuda/Support/Json.h"

using namespace llvm;

namespace lld::cuda::report {

namespace {

/// What is missing or of another type is 0 or empty: a baseline may have been
/// written by somebody else.
class JsonReader {
public:
  explicit JsonReader(Report &report) : report(report) {}
  Image readImage(const json::Object &o);

private:
  Kernel readKernel(const json::Object &o, Image &image);
  void readShared(const json::Object &o, Kernel &k, Image &image);
  Object readObject(const json::Object &o);
  DeviceFunction readFunction(const json::Object &o);
  static Depth readDepth(const json::Object &o);
  Inherited readInherited(const json::Object *o);
  StringRef text(const json::Object &o, StringRef name) {
    return report.saver.save(o.getString(name).value_or(""));
  }
  /// A number of something. There are no negative ones, and what is above
  /// INT64_MAX would be read in another way than it was written.
  static std::optional<uint64_t> maybeNumber(const json::Object &o,
                                             StringRef name) {
    const std::optional<int64_t> value = o.getInteger(name);
    return value && *value >= 0 ? std::optional<uint64_t>(*value)
                                : std::nullopt;
  }
  static uint64_t number(const json::Object &o, StringRef name) {
    return maybeNumber(o, name).value_or(0);
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

/// A place that is no function's is none: pages go along it.
Depth JsonReader::readDepth(const json::Object &o) {
  Depth depth;
  if (std::optional<uint64_t> stack = maybeNumber(o, "stackBytes"))
    depth.stack = *stack;
  const int64_t callee = o.getInteger("deepestCall").value_or(-1);
  depth.callee = isInt<32>(callee) ? int32_t(callee) : -1;
  return depth;
}

void JsonReader::readShared(const json::Object &o, Kernel &k, Image &image) {
  k.shared = number(o, "bytes");
  k.sharedReserved = number(o, "reserved");
  k.hasDynamicShared = o.getBoolean("dynamic").value_or(false);
  k.firstPlace = image.places.size();
  forEach(o, "variables", [&](const json::Object &v) {
    image.places.push_back({text(v, "symbol"), number(v, "offset"),
                            number(v, "size"),
                            v.getBoolean("common").value_or(false)});
  });
  k.placeCount = image.places.size() - k.firstPlace;
}

Kernel JsonReader::readKernel(const json::Object &o, Image &image) {
  Kernel k;
  k.symbol = text(o, "symbol");
  k.source = {text(o, "file"), number(o, "line")};
  k.object = number(o, "object");
  k.registers = readInherited(o.getObject("registers"));
  k.barriers = readInherited(o.getObject("barriers"));
  k.frame = number(o, "localBytes");
  k.depth = readDepth(o);
  if (const json::Object *shared = o.getObject("shared"))
    readShared(*shared, k, image);
  if (const json::Object *banks = o.getObject("constants")) {
    k.parameters = number(*banks, "0");
    k.literals = number(*banks, "2");
  }
  k.textures = number(o, "textures");
  k.surfaces = number(o, "surfaces");
  k.samplers = number(o, "samplers");
  k.code = number(o, "codeBytes");
  k.codeWithCallees = maybeNumber(o, "codeBytesWithCallees");
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

Object JsonReader::readObject(const json::Object &o) {
  Object object;
  object.label = text(o, "name");
  object.library = text(o, "library");
  object.kernels = number(o, "kernels");
  object.functions = number(o, "functions");
  object.droppedFunctions = number(o, "droppedFunctions");
  object.code = number(o, "codeBytes");
  object.droppedCode = number(o, "droppedCodeBytes");
  object.data = number(o, "dataBytes");
  return object;
}

DeviceFunction JsonReader::readFunction(const json::Object &o) {
  DeviceFunction f;
  f.symbol = text(o, "symbol");
  f.source = {text(o, "file"), number(o, "line")};
  f.object = number(o, "object");
  f.registers = number(o, "registers");
  f.frame = number(o, "localBytes");
  f.depth = readDepth(o);
  f.code = number(o, "codeBytes");
  return f;
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
  if (const json::Array *inputs = o.getArray("optimizedInputs"))
    for (const json::Value &input : *inputs)
      if (const std::optional<StringRef> name = input.getAsString())
        image.optimizedInputs.push_back(report.saver.save(*name));
  forEach(o, "objects", [&](const json::Object &from) {
    image.objects.push_back(readObject(from));
  });
  forEach(o, "kernels", [&](const json::Object &from) {
    image.kernels.push_back(readKernel(from, image));
  });
  forEach(o, "functions", [&](const json::Object &from) {
    image.functions.push_back(readFunction(from));
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
  Expected<json::Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  const json::Object *top = value->getAsObject();
  const json::Array *images = top ? top->getArray("images") : nullptr;
  const int64_t version =
      top ? top->getInteger("version").value_or(0) : int64_t(0);
  if (!images || version < OldestJsonVersion || version > JsonVersion)
    return createStringError("it is not a resource report of this version");
  JsonReader reader(report);
  for (const json::Value &image : *images)
    if (const json::Object *o = image.getAsObject())
      report.images.push_back(reader.readImage(*o));
  return Error::success();
}

} // namespace lld::cuda::report
