//===- JsonReport.cpp - The resource report as JSON -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a resource report (registers, memory and occupancy of each kernel) as
/// JSON. The linker calls writeJson(), through render(), at the end of a link
/// with --resource-report=FILE.json (ResourceReport.cpp, DeviceLink.cpp);
/// cubin-check and cubin-size call it for --resources (PrintResources.cpp). The
/// form is docs/manual/resource-report.schema.json: a line for each object,
/// kernel and function. What is 0, false or empty is left out where the schema
/// says so. JsonReader.cpp reads it again, as the baseline of a comparison.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Page/Text.h"
#include "lld-cuda/Resources/Report.h"

using namespace llvm;

namespace lld::cuda::report {

namespace {

class JsonWriter {
public:
  page::Text write(const Report &report);

private:
  void write(const Image &image);
  void write(const Image &image, const Kernel &k);
  void writeShared(const Image &image, const Kernel &k);
  void writeOccupancy(const Occupancy &o);
  void write(const DeviceFunction &f);
  void write(const Object &o);
  void write(const Library &l);
  void write(const Change &c);
  void write(const Contents &c);
  void write(const Inherited &value);
  void write(const Depth &depth);
  /// Writes what the entry of every kernel and function begins with.
  void begin(StringRef symbol, const Source &source, uint32_t object);
  template <typename List, typename Write>
  void list(const List &values, Write writeOne);

  page::Text text;
  bool demangles = true;
  StringRef lastFile, lastFileText; ///< As it is, and in the text.
};

} // namespace

template <typename List, typename Write>
void JsonWriter::list(const List &values, Write writeOne) {
  bool isFirst = true;
  for (const auto &value : values) {
    if (!isFirst)
      text << ',';
    text << '\n';
    isFirst = false;
    writeOne(value);
  }
  text << ']';
}

void JsonWriter::begin(StringRef symbol, const Source &source,
                       uint32_t object) {
  text << "{\"symbol\":";
  text.putJson(symbol);
  if (demangles && mayBeMangled(symbol)) {
    const std::string name = demangleDeviceName(symbol);
    if (name != symbol) {
      text << ",\"name\":";
      text.putJson(name);
    }
  }
  if (source.line) {
    text << ",\"file\":";
    // Neighbours are mostly of one file.
    if (source.file.data() != lastFile.data() || lastFile.empty()) {
      lastFile = source.file;
      lastFileText = text.putJson(lastFile);
    } else {
      text << lastFileText;
    }
    text << ",\"line\":" << source.line;
  }
  text << ",\"object\":" << object;
}

void JsonWriter::write(const Inherited &value) {
  text << "{\"own\":" << value.own << ",\"total\":" << value.total;
  if (!value.from.empty()) {
    text << ",\"from\":";
    text.putJson(value.from);
  }
  text << '}';
}

void JsonWriter::write(const Depth &depth) {
  if (depth.stack)
    text << ",\"stackBytes\":" << *depth.stack;
  else
    text << ",\"stackBytes\":null";
  if (depth.callee >= 0)
    text << ",\"deepestCall\":" << uint32_t(depth.callee);
}

void JsonWriter::writeShared(const Image &image, const Kernel &k) {
  text << ",\"shared\":{\"bytes\":" << k.shared
       << ",\"reserved\":" << k.sharedReserved;
  if (k.hasDynamicShared)
    text << ",\"dynamic\":true,\"variables\":[";
  else
    text << ",\"dynamic\":false,\"variables\":[";
  bool isFirst = true;
  for (const SharedPlace &p : image.placesOf(k)) {
    if (!isFirst)
      text << ',';
    isFirst = false;
    text << "{\"symbol\":";
    text.putJson(p.symbol);
    text << ",\"offset\":" << p.offset << ",\"size\":" << p.size;
    if (p.isCommon)
      text << ",\"common\":true}";
    else
      text << ",\"common\":false}";
  }
  text << "]}";
}

void JsonWriter::writeOccupancy(const Occupancy &o) {
  text << ",\"occupancy\":{\"threads\":" << o.threads
       << ",\"blocks\":" << o.blocks << ",\"warps\":" << o.warps
       << ",\"maxWarps\":" << o.maxWarps << ",\"limit\":";
  text.putJson(o.limit);
  text << '}';
}

void JsonWriter::write(const Image &image, const Kernel &k) {
  begin(k.symbol, k.source, k.object);
  text << ",\"registers\":";
  write(k.registers);
  text << ",\"barriers\":";
  write(k.barriers);
  text << ",\"localBytes\":" << k.frame;
  write(k.depth);
  if (k.shared || k.hasDynamicShared)
    writeShared(image, k);
  text << ",\"constants\":{";
  if (k.parameters)
    text << "\"0\":" << k.parameters;
  if (k.literals) {
    if (k.parameters)
      text << ',';
    text << "\"2\":" << k.literals;
  }
  text << '}';
  if (k.textures)
    text << ",\"textures\":" << k.textures;
  if (k.surfaces)
    text << ",\"surfaces\":" << k.surfaces;
  if (k.samplers)
    text << ",\"samplers\":" << k.samplers;
  text << ",\"codeBytes\":" << k.code;
  if (k.codeWithCallees)
    text << ",\"codeBytesWithCallees\":" << *k.codeWithCallees;
  if (k.occupancy)
    writeOccupancy(*k.occupancy);
  text << '}';
}

void JsonWriter::write(const DeviceFunction &f) {
  begin(f.symbol, f.source, f.object);
  text << ",\"registers\":" << f.registers << ",\"localBytes\":" << f.frame;
  write(f.depth);
  text << ",\"codeBytes\":" << f.code << '}';
}

void JsonWriter::write(const Contents &c) {
  text << ",\"kernels\":" << c.kernels << ",\"functions\":" << c.functions
       << ",\"droppedFunctions\":" << c.droppedFunctions
       << ",\"codeBytes\":" << c.code
       << ",\"droppedCodeBytes\":" << c.droppedCode
       << ",\"dataBytes\":" << c.data << '}';
}

void JsonWriter::write(const Object &o) {
  text << "{\"name\":";
  text.putJson(o.label);
  if (!o.library.empty()) {
    text << ",\"library\":";
    text.putJson(o.library);
  }
  write(static_cast<const Contents &>(o));
}

void JsonWriter::write(const Library &l) {
  text << "{\"name\":";
  text.putJson(l.path);
  text << ",\"members\":" << l.members;
  write(static_cast<const Contents &>(l));
}

void JsonWriter::write(const Change &c) {
  text << "{\"symbol\":";
  text.putJson(c.symbol);
  text << ",\"what\":";
  text.putJson(c.what);
  text << ",\"before\":" << c.before << ",\"after\":" << c.after << '}';
}

void JsonWriter::write(const Image &image) {
  text << "{\"arch\":";
  text.putJson(image.arch);
  text << ",\"output\":";
  text.putJson(image.output);
  if (!image.optimizedInputs.empty()) {
    text << ",\n\"optimizedInputs\":[";
    list(image.optimizedInputs, [&](StringRef input) { text.putJson(input); });
  }
  text << ",\n\"totals\":{\"kernels\":" << uint64_t(image.kernels.size())
       << ",\"functions\":" << uint64_t(image.functions.size())
       << ",\"codeBytes\":" << image.code
       << ",\"droppedCodeBytes\":" << image.droppedCode
       << ",\"globalBytes\":" << image.globalMemory
       << ",\"constantBytes\":" << image.constantMemory << "},\n\"objects\":[";
  auto writeOne = [&](const auto &value) { write(value); };
  list(image.objects, writeOne);
  if (const std::vector<Library> libraries = sumLibraries(image);
      !libraries.empty()) {
    text << ",\n\"libraries\":[";
    list(libraries, writeOne);
  }
  text << ",\n\"kernels\":[";
  list(image.kernels, [&](const Kernel &k) { write(image, k); });
  text << ",\n\"functions\":[";
  list(image.functions, writeOne);
  if (image.isCompared) {
    text << ",\n\"changes\":[";
    list(image.changes, writeOne);
  }
  text << '}';
}

page::Text JsonWriter::write(const Report &report) {
  demangles = report.demangles;
  text << "{\"version\":" << JsonVersion << ",\"images\":[";
  list(report.images, [&](const Image &image) { write(image); });
  text << "}\n";
  return std::move(text);
}

page::Text writeJson(const Report &report) {
  return JsonWriter().write(report);
}

} // namespace lld::cuda::report
