//===- HtmlReport.cpp - Resource reports as a page ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One file that needs nothing else, and no scripts. Browsers lay out only
/// what is seen of long tables, which are cut into pieces for that; what they
/// always do is to read all elements, so that a kernel has few: its details are
/// lines of text. End tags that HTML doesn't need are left out.
///
//===----------------------------------------------------------------------===//

#include "PageParts.h"
#include "lld-cuda/Page/Page.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda::report {

/// What other pages don't have.
static constexpr char Style[] =
    R"(.k table{table-layout:fixed}.k th{hyphens:manual}.k th:first-child{width:27%}
.k section{content-visibility:auto;contain-intrinsic-size:auto 6400px}
.k details{white-space:pre-line}.k details[open]{width:min(68rem,90vw);margin-bottom:.8rem}.k summary{white-space:normal;width:fit-content}
svg.map{max-width:600px;height:20px;margin:.3rem 0;background:var(--head);outline:1px solid var(--line)}
.map path{stroke-width:1}.map .c0{stroke:var(--c0)}.map .c1{stroke:var(--c1)}
)";

/// More than any stack.
static constexpr uint64_t Unbounded = ~uint64_t(0);

namespace {

class HtmlWriter {
public:
  page::Text write(const Report &report);

private:
  void writeImage(const Image &image, unsigned number);
  void writeTotals(const Image &image);
  void writeMost(const Image &image, PageNames &names);
  void writeMost(const Image &image, PageNames &names, StringRef title,
                 ArrayRef<uint64_t> values);
  void writeKernels(const Image &image, PageNames &names, unsigned number);
  void writeKernel(const Image &image, PageNames &names, size_t position);
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
  void putBrief(ShownName &name) {
    if (name.html.empty())
      name.html = text.putHtml(name.brief);
    else
      text << name.html;
  }

  page::Text text;
  StringRef lastLabel, lastLabelHtml;
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
    text << uint64_t(count) << "</b>";
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
    text << "\nparameters (constant bank 0): " << k.parameters << " B";
  if (k.literals)
    text << "\ncompiler's constants (bank 2): " << k.literals << " B";
  if (k.textures || k.surfaces || k.samplers)
    text << '\n'
         << k.textures << " textures, " << k.surfaces << " surfaces, "
         << k.samplers << " samplers";
  const ArrayRef<SharedPlace> places = image.placesOf(k);
  if (places.empty())
    return;
  text << "\nshared memory";
  if (k.sharedReserved)
    text << " after " << k.sharedReserved << " B of the system";
  text << ':';
  // Of one there is nothing to be seen.
  if (places.size() > 1)
    drawShared(text, places);
  for (const SharedPlace &p : places) {
    text << '\n' << p.offset << ": ";
    putBrief(names.symbol(p.symbol));
    text << ", " << p.size << " B";
    if (p.isCommon)
      text << ", here in all kernels";
  }
}

void HtmlWriter::writeDetails(const Image &image, PageNames &names,
                              size_t position) {
  const Kernel &k = image.kernels[position];
  const ShownName &name = names.kernel(position);
  // By its data: they are one text if nothing was cut off.
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
    text << "\nlocal memory: " << k.frame << " B";
  if (k.depth.callee >= 0)
    text << "\nstack: " << k.frame << " B" << names.callsFrom(k.depth.callee);
  if (const std::optional<Occupancy> &o = k.occupancy)
    text << '\n'
         << o->blocks << " blocks of " << o->threads << " threads: " << o->warps
         << " of " << o->maxWarps << " warps";
  text << "\ncode: " << k.code << " B of its own";
  writeMemory(image, names, k);
}

void HtmlWriter::writeKernel(const Image &image, PageNames &names,
                             size_t position) {
  const Kernel &k = image.kernels[position];
  text << "<tr><td><details><summary>";
  putBrief(names.kernel(position));
  text << "</summary>";
  writeDetails(image, names, position);
  text << "</details><td>" << k.registers.total;
  if (k.depth.stack)
    text << "<td>" << *k.depth.stack;
  else
    text << "<td class=w>unbounded";
  text << "<td>" << k.shared;
  if (k.hasDynamicShared)
    text << '+';
  text << "<td>" << k.barriers.total << "<td>";
  if (k.codeWithCallees)
    text << *k.codeWithCallees;
  else
    text << '?';
  if (k.occupancy)
    text << "<td>" << k.occupancy->percent() << " % " << k.occupancy->limit
         << '\n';
  else
    text << "<td>?\n";
}

void HtmlWriter::writeKernels(const Image &image, PageNames &names,
                              unsigned number) {
  constexpr size_t Piece = 200;
  text << "<h3 id=kernels" << number
       << ">Kernels</h3>\n<p>Numbers are those of the kernel with all that it "
          "calls; sizes are in bytes. Occupancy, and what keeps it from more, "
          "is that of blocks of the size that launch bounds tell, or of 256 "
          "threads, without dynamic shared memory. A + marks kernels whose "
          "launch may ask for more shared memory.</p>\n<div class=k>\n";
  const size_t count = image.kernels.size();
  for (size_t i = 0; i < count; i += Piece) {
    text << "<section><table><thead><tr><th>Kernel<th>Registers<th>Stack"
            "<th>Shared<th>Barriers<th>Code<th>Occupancy<tbody>\n";
    for (size_t k = i; k != std::min(count, i + Piece); ++k)
      writeKernel(image, names, k);
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

void HtmlWriter::writeMost(const Image &image, PageNames &names,
                           StringRef title, ArrayRef<uint64_t> values) {
  const SmallVector<size_t, 11> largest = findLargest(values);
  if (!values[largest.front()])
    return;
  text << "<details><summary>" << title
       << "</summary><table><thead><tr><th>Kernel<th>" << title << "<tbody>\n";
  for (size_t kernel : largest) {
    text << "<tr><td>";
    putBrief(names.kernel(kernel));
    if (values[kernel] != Unbounded)
      text << "<td>" << values[kernel] << '\n';
    else
      text << "<td>unbounded\n";
  }
  text << "</table></details>\n";
}

void HtmlWriter::writeMost(const Image &image, PageNames &names) {
  constexpr size_t Few = 10;
  if (image.kernels.size() <= Few)
    return;
  std::vector<uint64_t> values(image.kernels.size());
  auto show = [&](StringRef title, auto valueOf) {
    for (size_t i = 0; i != values.size(); ++i)
      values[i] = valueOf(image.kernels[i]);
    writeMost(image, names, title, values);
  };
  text << "<h3>Kernels that need most</h3>\n";
  show("Registers", [](const Kernel &k) { return k.registers.total; });
  show("Stack", [](const Kernel &k) {
    return k.depth.stack ? *k.depth.stack : Unbounded;
  });
  show("Shared memory", [](const Kernel &k) { return k.shared; });
  show("Code with callees",
       [](const Kernel &k) { return k.codeWithCallees.value_or(k.code); });
}

//===----------------------------------------------------------------------===//
// Inputs, and what has changed
//===----------------------------------------------------------------------===//

void HtmlWriter::writeContents(const Contents &c) {
  text << "<td>" << c.kernels << "<td>" << c.functions << "<td>" << c.code
       << "<td>" << c.data << "<td>" << c.droppedFunctions << "<td>"
       << c.droppedCode << '\n';
}

static constexpr char ContentsHead[] =
    "<th>Kernels<th>Functions<th>Code<th>Variables<th>Functions left out"
    "<th>Code left out<tbody>\n";

void HtmlWriter::writeLibraries(const Image &image) {
  const std::vector<Library> libraries = sumLibraries(image);
  if (libraries.empty())
    return;
  text << "<h3>Libraries</h3>\n<div class=k><table><thead><tr><th>Library"
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
  text
      << "<h3>Optimized inputs</h3>\n<p>The compiler has made one image of all "
         "code of these. What each of them brought, and which function calls "
         "which, isn't known any more.</p>\n<ul>\n";
  for (StringRef input : image.optimizedInputs) {
    text << "<li>";
    text.putHtml(input);
    text << '\n';
  }
  text << "</ul>\n";
}

void HtmlWriter::writeObjects(const Image &image) {
  constexpr size_t Piece = 200;
  text << "<h3>Objects</h3>\n<div class=k>";
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
    text << "<td class=l>" << c.what;
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
  text << "<h2 id=image" << number << '>';
  text.putHtml(image.arch);
  text << "</h2>\n";
  writeTotals(image);
  writeChanges(image, names);
  writeMost(image, names);
  drawCodeByName(text, image, names);
  drawCodeByFile(text, image);
  writeKernels(image, names, number);
  writeLibraries(image);
  writeOptimizedInputs(image);
  writeObjects(image);
}

page::Text HtmlWriter::write(const Report &report) {
  page::writeBegin(text, "Resources of device code", Style);
  text << "<h1>Resources of device code</h1>\n<nav><ul>";
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
  page::writeEnd(text);
  return std::move(text);
}

page::Text writeHtml(const Report &report) {
  return HtmlWriter().write(report);
}

} // namespace lld::cuda::report
