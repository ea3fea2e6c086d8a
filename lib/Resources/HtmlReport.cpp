//===- HtmlReport.cpp - The resource report as a page ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a resource report (registers, memory and occupancy of each kernel) as
/// one HTML file that needs nothing else. The linker calls writeHtml(), through
/// render(), at the end of a link with --resource-report=FILE.html
/// (ResourceReport.cpp, DeviceLink.cpp); cubin-check and cubin-size call it for
/// --resources (PrintResources.cpp). The answer comes first, then what is
/// worst, then all. There may be tens of thousands of kernels. Browsers lay out
/// only what is seen of a table that is cut into sections, but read all
/// elements, so a kernel has few: its details are lines of text. End tags that
/// HTML doesn't need are left out.
///
//===----------------------------------------------------------------------===//

#include "PageParts.h"
#include "lld-cuda/Page/Page.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda::report {

/// The style of what other pages don't have.
static constexpr char Style[] =
    R"(.k table{table-layout:fixed}.k th{hyphens:manual}.k th:first-child{width:27%}
.k section{content-visibility:auto;contain-intrinsic-size:auto 6400px}
.k details{white-space:pre-line}.k details[open]{margin-bottom:.8rem}.k summary{white-space:normal;width:fit-content;max-width:100%}
.k th:last-child{width:17%}
svg.map{max-width:600px;margin:.3rem 0;background:var(--head);outline:1px solid var(--line)}
.map path{stroke-width:1}.map .c0{stroke:var(--c0)}.map .c1{stroke:var(--c1)}
)";

/// Stands for an unbounded stack: larger than any other.
static constexpr uint64_t Unbounded = ~uint64_t(0);

namespace {

class HtmlWriter {
public:
  page::Text write(const Report &report);

private:
  void writeImage(const Image &image, unsigned number);
  void writeTotals(const Image &image);
  void writeAnswer(const Image &image, PageNames &names, unsigned number);
  void writeMost(const Image &image, PageNames &names, unsigned number);
  void writeMost(const Image &image, PageNames &names, unsigned number,
                 StringRef title, ArrayRef<uint64_t> values);
  void writeLeastOccupancy(const Image &image, PageNames &names,
                           unsigned number);
  void putLink(PageNames &names, unsigned number, size_t kernel);
  void putOccupancy(const Kernel &k);
  void writeKernels(const Image &image, PageNames &names, unsigned number);
  void writeKernel(const Image &image, PageNames &names, unsigned number,
                   size_t position);
  void writeDetails(const Image &image, PageNames &names, size_t position);
  void writeInherited(PageNames &names, StringRef what, const Inherited &value);
  void writeMemory(const Image &image, PageNames &names, const Kernel &k);
  void writeLibraries(const Image &image);
  void writeOptimizedInputs(const Image &image);
  void writeObjects(const Image &image);
  void writeContents(const Contents &c);
  void writeChanges(const Image &image, PageNames &names);
  void total(StringRef name);
  /// Neighbours are mostly of one object.
  void putLabel(StringRef label) {
    if (label.data() != lastLabel.data() || label.size() != lastLabel.size()) {
      lastLabel = label;
      lastLabelHtml = text.putHtml(label);
    } else {
      text << lastLabelHtml;
    }
  }
  void putSize(StringRef before, uint64_t size) {
    text << before;
    page::putBytes(text, size);
  }
  void putBrief(ShownName &name) {
    if (name.html.empty())
      name.html = text.putHtml(name.brief);
    else
      text << name.html;
  }

  page::Text text;
  StringRef lastLabel, lastLabelHtml;
  std::vector<bool> isLinked; ///< Kernels that something above leads to.
};

} // namespace

void HtmlWriter::total(StringRef name) {
  text << "<li><span>" << name << "</span> <b>";
}

void HtmlWriter::writeTotals(const Image &image) {
  text << "<ul class=t>";
  for (auto [name, count] :
       {std::pair("Kernels", image.kernels.size()),
        std::pair("Device functions", image.functions.size()),
        std::pair("Objects", image.objects.size())}) {
    total(name);
    page::putNumber(text, count);
    text << "</b>";
  }
  for (auto [name, size] :
       {std::pair("Code", image.code),
        std::pair("Code left out", image.droppedCode),
        std::pair("Global memory", image.globalMemory),
        std::pair("Constant memory", image.constantMemory)}) {
    total(name);
    page::putBytes(text, size);
    text << "</b>";
  }
  text << "</ul>\n";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void HtmlWriter::writeInherited(PageNames &names, StringRef what,
                                const Inherited &value) {
  if (value.total == value.own)
    return;
  text << '\n' << value.total << what;
  if (!value.from.empty()) {
    text << " because of ";
    putBrief(names.symbol(value.from));
  }
  text << "; its own: " << value.own;
}

void HtmlWriter::writeMemory(const Image &image, PageNames &names,
                             const Kernel &k) {
  if (k.parameters)
    putSize("\nparameters (constant bank 0): ", k.parameters);
  if (k.literals)
    putSize("\ncompiler's constants (bank 2): ", k.literals);
  if (k.textures || k.surfaces || k.samplers)
    text << '\n'
         << k.textures << " textures, " << k.surfaces << " surfaces, "
         << k.samplers << " samplers";
  const ArrayRef<SharedPlace> places = image.placesOf(k);
  if (places.empty())
    return;
  text << "\nshared memory";
  if (k.sharedReserved) {
    putSize(" after ", k.sharedReserved);
    text << " of the system";
  }
  text << ':';
  // A picture of one variable would show nothing.
  if (places.size() > 1)
    drawShared(text, places);
  for (const SharedPlace &p : places) {
    text << '\n' << p.offset << ": ";
    putBrief(names.symbol(p.symbol));
    putSize(", ", p.size);
    if (p.isCommon)
      text << ", here in all kernels";
  }
}

void HtmlWriter::writeDetails(const Image &image, PageNames &names,
                              size_t position) {
  const Kernel &k = image.kernels[position];
  const ShownName &name = names.kernel(position);
  // The two names are the same characters in memory if nothing was cut off.
  if (name.brief.data() != name.full.data()) {
    text << '\n';
    text.putHtml(name.full);
  }
  if (!name.isPlain) {
    text << '\n';
    text.putHtml(k.symbol);
  }
  if (k.object < image.objects.size()) {
    text << "\nfrom ";
    putLabel(image.objects[k.object].label);
  }
  if (k.source.line) {
    text << ", ";
    text.putHtml(k.source.file);
    text << ':' << k.source.line;
  }
  writeInherited(names, " registers", k.registers);
  writeInherited(names, " barriers", k.barriers);
  if (k.frame)
    putSize("\nlocal memory: ", k.frame);
  if (k.depth.callee >= 0)
    putSize("\nstack: ", k.frame), text << names.callsFrom(k.depth.callee);
  if (const std::optional<Occupancy> &o = k.occupancy)
    text << '\n'
         << o->blocks << " blocks of " << o->threads << " threads: " << o->warps
         << " of " << o->maxWarps << " warps";
  putSize("\ncode: ", k.code);
  text << " of its own";
  writeMemory(image, names, k);
}

void HtmlWriter::writeKernel(const Image &image, PageNames &names,
                             unsigned number, size_t position) {
  const Kernel &k = image.kernels[position];
  text << "<tr";
  if (isLinked[position])
    text << " id=k" << number << '-' << uint64_t(position);
  text << "><td><details><summary>";
  putBrief(names.kernel(position));
  text << "</summary>";
  writeDetails(image, names, position);
  text << "</details><td>" << k.registers.total;
  if (k.depth.stack) {
    text << "<td>";
    page::putNumber(text, *k.depth.stack);
  } else {
    text << "<td class=w>unbounded";
  }
  text << "<td>";
  page::putNumber(text, k.shared);
  if (k.hasDynamicShared)
    text << '+';
  text << "<td>" << k.barriers.total << "<td>";
  if (k.codeWithCallees)
    page::putNumber(text, *k.codeWithCallees);
  else
    text << '?';
  text << "<td>";
  putOccupancy(k);
  text << '\n';
}

/// "62 %, by registers"
void HtmlWriter::putOccupancy(const Kernel &k) {
  if (k.occupancy) {
    text << k.occupancy->percent() << " %, by ";
    text.putHtml(k.occupancy->limit);
  } else {
    text << '?';
  }
}

void HtmlWriter::writeKernels(const Image &image, PageNames &names,
                              unsigned number) {
  constexpr size_t Piece = 200;
  text << "<h3 id=kernels" << number
       << ">Kernels</h3>\n<p>Numbers cover the kernel and everything it calls; "
          "sizes are in bytes. Occupancy and its limit are computed for blocks "
          "of the size that the launch bounds give, or of 256 threads, without "
          "dynamic shared memory. A + marks kernels whose launch may ask for "
          "more shared memory.</p>\n<div class=k "
          "data-filter=kernels tabindex=0 role=region aria-label='Kernels of ";
  text.putHtml(image.arch);
  text << "'>\n";
  const size_t count = image.kernels.size();
  for (size_t i = 0; i < count; i += Piece) {
    text << "<section><table><thead><tr><th>Kernel<th>Registers<th>Stack"
            "<th>Shared<th>Barriers<th>Code<th>Occupancy<tbody>\n";
    for (size_t k = i; k != std::min(count, i + Piece); ++k)
      writeKernel(image, names, number, k);
    text << "</table></section>\n";
  }
  text << "</div>\n";
}

/// Positions of the largest values, of equal ones the first.
static SmallVector<size_t, 11> findLargest(ArrayRef<uint64_t> values) {
  constexpr size_t Shown = 10;
  SmallVector<size_t, 11> largest;
  for (size_t i = 0; i != values.size(); ++i) {
    if (largest.size() == Shown && values[i] <= values[largest.back()])
      continue;
    largest.insert(llvm::upper_bound(largest, i,
                                     [&](size_t a, size_t b) {
                                       return values[a] > values[b];
                                     }),
                   i);
    if (largest.size() > Shown)
      largest.pop_back();
  }
  return largest;
}

/// To the kernel's row, which has an id then.
void HtmlWriter::putLink(PageNames &names, unsigned number, size_t kernel) {
  isLinked[kernel] = true;
  text << "<a href='#k" << number << '-' << uint64_t(kernel) << "'>";
  putBrief(names.kernel(kernel));
  text << "</a>";
}

static const Kernel *findLeastOccupied(const Image &image) {
  const Kernel *least = nullptr;
  for (const Kernel &k : image.kernels)
    if (k.occupancy &&
        (!least || k.occupancy->percent() < least->occupancy->percent()))
      least = &k;
  return least;
}

/// "1 unbounded stack; lowest occupancy 25 %, by registers: app::spill"
void HtmlWriter::writeAnswer(const Image &image, PageNames &names,
                             unsigned number) {
  if (image.kernels.empty())
    return;
  const size_t unbounded =
      count_if(image.kernels, [](const Kernel &k) { return !k.depth.stack; });
  text << "<p class=answer>";
  if (unbounded) {
    text << "<span class=w>";
    page::putNumber(text, unbounded);
    if (unbounded == 1)
      text << " unbounded stack</span>";
    else
      text << " unbounded stacks</span>";
  } else {
    text << "No unbounded stack";
  }
  if (const Kernel *least = findLeastOccupied(image)) {
    text << "; lowest occupancy ";
    putOccupancy(*least);
    text << ": ";
    putLink(names, number, least - image.kernels.data());
  }
  text << "</p>\n";
}

void HtmlWriter::writeMost(const Image &image, PageNames &names,
                           unsigned number, StringRef title,
                           ArrayRef<uint64_t> values) {
  const SmallVector<size_t, 11> largest = findLargest(values);
  if (!values[largest.front()])
    return;
  text << "<table><caption>" << title << "</caption><thead><tr><th>Kernel<th>"
       << title << "<tbody>\n";
  for (size_t kernel : largest) {
    text << "<tr><td>";
    putLink(names, number, kernel);
    if (values[kernel] != Unbounded) {
      text << "<td>";
      page::putNumber(text, values[kernel]);
    } else {
      text << "<td class=w>unbounded";
    }
    text << '\n';
  }
  text << "</table>\n";
}

void HtmlWriter::writeLeastOccupancy(const Image &image, PageNames &names,
                                     unsigned number) {
  if (!findLeastOccupied(image))
    return;
  constexpr uint64_t Most = 101; // More than what is known.
  std::vector<uint64_t> values;
  values.reserve(image.kernels.size());
  for (const Kernel &k : image.kernels)
    values.push_back(k.occupancy ? Most - k.occupancy->percent() : 0);
  text << "<table><caption>Lowest occupancy</caption><thead><tr><th>Kernel"
          "<th>Occupancy<tbody>\n";
  for (size_t kernel : findLargest(values)) {
    text << "<tr><td>";
    putLink(names, number, kernel);
    text << "<td>";
    putOccupancy(image.kernels[kernel]);
    text << '\n';
  }
  text << "</table>\n";
}

void HtmlWriter::writeMost(const Image &image, PageNames &names,
                           unsigned number) {
  constexpr size_t Few = 3; // Their table tells as much.
  if (image.kernels.size() <= Few)
    return;
  std::vector<uint64_t> values(image.kernels.size());
  auto show = [&](StringRef title, auto valueOf) {
    for (size_t i = 0; i != values.size(); ++i)
      values[i] = valueOf(image.kernels[i]);
    writeMost(image, names, number, title, values);
  };
  text << "<h3>Kernels that need most</h3>\n<div class=most>\n";
  writeLeastOccupancy(image, names, number);
  show("Registers", [](const Kernel &k) { return k.registers.total; });
  show("Stack", [](const Kernel &k) {
    return k.depth.stack ? *k.depth.stack : Unbounded;
  });
  show("Shared memory", [](const Kernel &k) { return k.shared; });
  show("Code with callees",
       [](const Kernel &k) { return k.codeWithCallees.value_or(k.code); });
  text << "</div>\n";
}

//===----------------------------------------------------------------------===//
// Inputs, and what has changed
//===----------------------------------------------------------------------===//

void HtmlWriter::writeContents(const Contents &c) {
  for (uint64_t number :
       {uint64_t(c.kernels), uint64_t(c.functions), c.code, c.data,
        uint64_t(c.droppedFunctions), c.droppedCode}) {
    text << "<td>";
    page::putNumber(text, number);
  }
  text << '\n';
}

static constexpr char ContentsHead[] =
    "<th>Kernels<th>Functions<th>Code<th>Variables<th>Functions left out"
    "<th>Code left out<tbody>\n";

void HtmlWriter::writeLibraries(const Image &image) {
  const std::vector<Library> libraries = sumLibraries(image);
  if (libraries.empty())
    return;
  text << "<h3>Libraries</h3>\n<div class=k tabindex=0 role=region "
          "aria-label=Libraries><table><thead><tr><th>Library"
          "<th>Members"
       << ContentsHead;
  for (const Library &l : libraries) {
    text << "<tr><td>";
    text.putHtml(l.path);
    text << "<td>" << l.members;
    writeContents(l);
  }
  text << "</table></div>\n";
}

void HtmlWriter::writeOptimizedInputs(const Image &image) {
  if (image.optimizedInputs.empty())
    return;
  text << "<h3>Optimized inputs</h3>\n<p>The compiler combined all code of "
          "these "
          "inputs into one image. What each input contributed, and which "
          "functions call each other, is no longer known.</p>\n<ul>\n";
  for (StringRef input : image.optimizedInputs) {
    text << "<li>";
    text.putHtml(input);
    text << '\n';
  }
  text << "</ul>\n";
}

void HtmlWriter::writeObjects(const Image &image) {
  constexpr size_t Piece = 200;
  text << "<h3>Objects</h3>\n<div class=k data-filter=objects tabindex=0 "
          "role=region aria-label=Objects>";
  const ArrayRef<Object> objects(image.objects);
  for (size_t i = 0; i < objects.size(); i += Piece) {
    text << "<section><table><thead><tr><th>Object" << ContentsHead;
    for (const Object &o :
         objects.slice(i, std::min(Piece, objects.size() - i))) {
      text << "<tr><td>";
      text.putHtml(o.label);
      writeContents(o);
    }
    text << "</table></section>\n";
  }
  text << "</div>\n";
}

void HtmlWriter::writeChanges(const Image &image, PageNames &names) {
  if (!image.isCompared)
    return;
  text << "<h3>Changes</h3>\n";
  if (image.changes.empty()) {
    text << "<p>None.</p>\n";
    return;
  }
  text << "<table><thead><tr><th>Kernel<th class=l>What<th>Before<th>Now<th>"
          "Difference<tbody>\n";
  auto number = [&](int64_t value) {
    if (value < 0)
      text << "<td>unbounded";
    else
      text << "<td>" << value;
  };
  for (const Change &c : image.changes) {
    text << "<tr><td>";
    putBrief(names.symbol(c.symbol));
    text << "<td class=l>";
    text.putHtml(c.what);
    number(c.before);
    number(c.after);
    text << "<td>";
    if (c.before >= 0 && c.after >= 0) {
      if (c.after > c.before)
        text << '+';
      text << c.after - c.before;
    }
    text << '\n';
  }
  text << "</table>\n";
}

void HtmlWriter::writeImage(const Image &image, unsigned number) {
  PageNames names(image);
  isLinked.assign(image.kernels.size(), false);
  text << "<section class=a data-arch='";
  text.putHtml(image.arch);
  text << "'><h2 id=image" << number << '>';
  text.putHtml(image.arch);
  if (!image.output.empty()) {
    text << ", ";
    text.putHtml(image.output);
  }
  text << "</h2>\n";
  writeAnswer(image, names, number);
  writeTotals(image);
  writeChanges(image, names);
  writeMost(image, names, number);
  writeKernels(image, names, number);
  drawCodeByName(text, image, names);
  drawCodeByFile(text, image);
  writeLibraries(image);
  writeOptimizedInputs(image);
  writeObjects(image);
  text << "</section>\n";
}

/// "Resources of linked.cubin (sm_80, sm_90)"
static std::string makeTitle(const Report &report) {
  std::string title = "Resources of ";
  StringRef output;
  for (const Image &image : report.images)
    if (output.empty())
      output = image.output;
    else if (output != image.output)
      output = "device code";
  title += output.empty() ? "device code" : output.str();
  title += " (";
  constexpr size_t Most = 6;
  for (size_t i = 0; i != report.images.size(); ++i) {
    if (i == Most)
      return title + ", …)";
    title += (i ? ", " : "") + report.images[i].arch.str();
  }
  return title + ")";
}

page::Text HtmlWriter::write(const Report &report) {
  const std::string title = makeTitle(report);
  page::writeBegin(text, title, Style);
  text << "<h1>";
  text.putHtml(title);
  text << "</h1>\n<nav><ul>";
  for (size_t i = 0; i != report.images.size(); ++i) {
    text << "<li><a href='#image" << uint64_t(i) << "'>";
    text.putHtml(report.images[i].arch);
    text << "</a><li><a href='#kernels" << uint64_t(i) << "'>";
    text.putHtml(report.images[i].arch);
    text << " kernels</a>";
  }
  text << "</ul></nav>\n";
  for (size_t i = 0; i != report.images.size(); ++i)
    writeImage(report.images[i], i);
  page::writeEnd(text, "lld-cuda " LLDCUDA_VERSION);
  return std::move(text);
}

page::Text writeHtml(const Report &report) {
  return HtmlWriter().write(report);
}

} // namespace lld::cuda::report
