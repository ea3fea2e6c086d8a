//===- ResourceHtml.cpp - Resource reports as a page ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One file that needs nothing else, and no scripts. Browsers lay out only
/// what is seen of long tables, which are cut into pieces for that. End tags
/// that HTML doesn't need are left out.
///
//===----------------------------------------------------------------------===//

#include "Report/ResourceModel.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Page/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda::report {

/// What other pages don't have.
static constexpr StringLiteral Style =
    R"(.k table{table-layout:fixed}.k th{hyphens:manual}.k th:first-child{width:27%}
.k section{content-visibility:auto;contain-intrinsic-size:auto 6400px}
svg.map{max-width:600px;margin:.3rem 0;background:var(--head);outline:1px solid var(--line)}
)";

namespace {

class HtmlWriter {
public:
  explicit HtmlWriter(raw_ostream &os) : os(os) {}
  void write(const Report &report);

private:
  void writeImage(const Image &image, unsigned number);
  void writeTotals(const Image &image);
  void writeMost(const Image &image);
  void writeKernels(const Image &image, unsigned number);
  void writeKernel(const Image &image, const Kernel &k);
  void writeDetails(const Image &image, const Kernel &k, StringRef full);
  void writeObjects(const Image &image);
  void writeChanges(const Image &image);
  void total(StringRef name, const Twine &value);
  void inherited(const Inherited &value);
  /// The short name.
  void name(StringRef symbol);
  void text(StringRef s) { page::escape(os, s); }

  raw_ostream &os;
};

} // namespace

/// Without what makes a name long.
static std::string shortName(StringRef full) {
  constexpr size_t Longest = 60;
  if (full.size() <= Longest)
    return full.str();
  std::string name = shortenName(full);
  if (name.size() > Longest + 20)
    name = "…" + name.substr(name.size() - Longest);
  return name;
}

void HtmlWriter::name(StringRef symbol) {
  text(shortName(demangleDeviceName(symbol)));
}

void HtmlWriter::total(StringRef name, const Twine &value) {
  os << "<li><span>" << name << "</span> <b>" << value << "</b>";
}

void HtmlWriter::writeTotals(const Image &image) {
  os << "<ul class=t>";
  total("Kernels", Twine(image.kernels.size()));
  total("Device functions", Twine(image.functions.size()));
  total("Code", page::bytes(image.code));
  total("Code left out", page::bytes(image.droppedCode));
  total("Global memory", page::bytes(image.globalMemory));
  total("Constant memory", page::bytes(image.constantMemory));
  total("Objects", Twine(image.objects.size()));
  os << "</ul>\n";
}

void HtmlWriter::inherited(const Inherited &value) {
  os << "<td>" << value.total;
  if (value.total != value.own)
    os << "<small>own " << value.own << "</small>";
}

void HtmlWriter::writeDetails(const Image &image, const Kernel &k,
                              StringRef full) {
  os << "<div>";
  text(full);
  os << "<br><code>";
  text(k.symbol);
  os << "</code>";
  if (k.object < image.objects.size()) {
    os << "<br>from ";
    text(image.objects[k.object].label);
  }
  for (auto [what, value] : {std::pair("registers", &k.registers),
                             std::pair("barriers", &k.barriers)})
    if (value->total != value->own) {
      os << "<br>" << value->total << ' ' << what;
      if (!value->from.empty()) {
        os << " because of ";
        name(value->from);
      }
      os << "; its own: " << value->own;
    }
  if (!k.path.empty()) {
    os << "<br>stack: ";
    for (size_t i = 0; i != k.path.size(); ++i) {
      os << (i ? " → " : "");
      name(k.path[i].symbol);
      os << ' ' << k.path[i].frame << " B";
    }
  }
  if (const std::optional<Occupancy> &o = k.occupancy)
    os << "<br>occupancy: " << o->blocks << " blocks of " << o->threads
       << " threads, " << o->warps << " of " << o->maxWarps << " warps";
  for (auto [bank, size] : k.constants)
    os << "<br>constant bank " << bank << ": " << size << " B";
  if (k.textures || k.surfaces || k.samplers)
    os << "<br>" << k.textures << " textures, " << k.surfaces << " surfaces, "
       << k.samplers << " samplers";
  if (!k.places.empty()) {
    os << "<br>shared memory";
    if (k.sharedReserved)
      os << " after " << k.sharedReserved << " B of the system";
    os << ':';
    drawShared(os, k);
    for (const SharedPlace &p : k.places) {
      os << p.offset << ": ";
      name(p.symbol);
      os << ", " << p.size << " B"
         << (p.isCommon ? ", at this address in all kernels" : "") << "<br>";
    }
  }
  os << "</div>";
}

void HtmlWriter::writeKernel(const Image &image, const Kernel &k) {
  const std::string full = demangleDeviceName(k.symbol);
  os << "<tr><td><details><summary>";
  text(shortName(full));
  os << "</summary>";
  writeDetails(image, k, full);
  os << "</details>";
  inherited(k.registers);
  if (k.stack)
    os << "<td>" << *k.stack;
  else
    os << "<td class=w>unbounded";
  os << "<td>" << k.frame << "<td>" << k.shared
     << (k.hasDynamicShared ? "+" : "");
  inherited(k.barriers);
  os << "<td>" << k.code << "<td>";
  if (k.codeWithCallees)
    os << *k.codeWithCallees;
  else
    os << "?";
  if (k.occupancy)
    os << "<td>" << k.occupancy->percent() << " %<td class=l>"
       << k.occupancy->limit;
  else
    os << "<td>?<td>";
  os << '\n';
}

void HtmlWriter::writeKernels(const Image &image, unsigned number) {
  constexpr size_t Piece = 200;
  os << "<h3 id=kernels" << number << ">Kernels</h3>\n<p>Numbers are those of "
     << "the kernel with all that it calls; sizes are in bytes. Occupancy is "
     << "that of blocks of the size that launch bounds tell, or of 256 "
     << "threads, without dynamic shared memory. A + marks kernels whose "
     << "launch may ask for more shared memory.</p>\n<div class=k>\n";
  const ArrayRef<Kernel> kernels(image.kernels);
  for (size_t i = 0; i < kernels.size(); i += Piece) {
    os << "<section><table><thead><tr><th>Kernel<th>Registers<th>Stack<th>"
       << "Local<th>Shared<th>Barriers<th>Code<th>With callees<th>"
       << "Occupancy<th class=l>Limited by<tbody>\n";
    for (const Kernel &k :
         kernels.slice(i, std::min(Piece, kernels.size() - i)))
      writeKernel(image, k);
    os << "</table></section>\n";
  }
  os << "</div>\n";
}

/// The first ones of long tables, by what matters.
void HtmlWriter::writeMost(const Image &image) {
  constexpr size_t Shown = 10;
  if (image.kernels.size() <= Shown)
    return;
  std::vector<const Kernel *> order;
  for (const Kernel &k : image.kernels)
    order.push_back(&k);
  auto show = [&](StringRef title, function_ref<uint64_t(const Kernel &)> key) {
    auto more = [&](const Kernel *a, const Kernel *b) {
      return std::pair(key(*b), a->symbol) < std::pair(key(*a), b->symbol);
    };
    std::partial_sort(order.begin(), order.begin() + Shown, order.end(), more);
    if (!key(*order.front()))
      return;
    os << "<details><summary>" << title
       << "</summary><div><table><thead><tr><th>Kernel<th>" << title
       << "<tbody>\n";
    for (const Kernel *k : ArrayRef(order).take_front(Shown)) {
      os << "<tr><td>";
      name(k->symbol);
      const uint64_t value = key(*k);
      os << "<td>";
      if (value == ~uint64_t(0))
        os << "unbounded";
      else
        os << value;
      os << '\n';
    }
    os << "</table></div></details>\n";
  };
  os << "<h3>Kernels that need most</h3>\n";
  show("Registers", [](const Kernel &k) { return k.registers.total; });
  show("Stack",
       [](const Kernel &k) { return k.stack ? *k.stack : ~uint64_t(0); });
  show("Shared memory", [](const Kernel &k) { return k.shared; });
  show("Code with callees",
       [](const Kernel &k) { return k.codeWithCallees.value_or(k.code); });
}

void HtmlWriter::writeObjects(const Image &image) {
  os << "<h3>Objects</h3>\n<div class=k>";
  constexpr size_t Piece = 200;
  const ArrayRef<Object> objects(image.objects);
  for (size_t i = 0; i < objects.size(); i += Piece) {
    os << "<section><table><thead><tr><th>Object<th>Kernels<th>Functions<th>"
       << "Code<th>Variables<th>Functions left out<th>Code left out<tbody>\n";
    for (const Object &o :
         objects.slice(i, std::min(Piece, objects.size() - i))) {
      os << "<tr><td>";
      text(o.label);
      os << "<td>" << o.kernels << "<td>" << o.functions << "<td>" << o.code
         << "<td>" << o.data << "<td>" << o.droppedFunctions << "<td>"
         << o.droppedCode << '\n';
    }
    os << "</table></section>\n";
  }
  os << "</div>\n";
}

void HtmlWriter::writeChanges(const Image &image) {
  if (!image.isCompared)
    return;
  os << "<h3>Changes</h3>\n";
  if (image.changes.empty()) {
    os << "<p>None.</p>\n";
    return;
  }
  os << "<table><thead><tr><th>Kernel<th class=l>What<th>Before<th>Now<th>"
     << "Difference<tbody>\n";
  auto number = [&](int64_t value) {
    os << "<td>";
    if (value < 0)
      os << "unbounded";
    else
      os << value;
  };
  for (const Change &c : image.changes) {
    os << "<tr><td>";
    name(c.symbol);
    os << "<td class=l>" << c.what;
    number(c.before);
    number(c.after);
    os << "<td>";
    if (c.before >= 0 && c.after >= 0)
      os << (c.after > c.before ? "+" : "") << c.after - c.before;
    os << '\n';
  }
  os << "</table>\n";
}

void HtmlWriter::writeImage(const Image &image, unsigned number) {
  os << "<h2 id=image" << number << ">";
  text(image.arch);
  os << "</h2>\n";
  writeTotals(image);
  writeChanges(image);
  writeMost(image);
  if (image.code) {
    os << "<h3>Code by namespace and function</h3>\n";
    drawCode(os, image, /*byObject=*/false);
    os << "<h3>Code by file</h3>\n";
    drawCode(os, image, /*byObject=*/true);
  }
  writeKernels(image, number);
  writeObjects(image);
}

void HtmlWriter::write(const Report &report) {
  page::writeBegin(os, "Resources of device code", Style);
  os << "<h1>Resources of device code</h1>\n<nav><ul>";
  for (size_t i = 0; i != report.images.size(); ++i) {
    os << "<li><a href='#image" << i << "'>";
    text(report.images[i].arch);
    os << "</a><li><a href='#kernels" << i << "'>";
    text(report.images[i].arch);
    os << " kernels</a>";
  }
  os << "</ul></nav>\n";
  for (size_t i = 0; i != report.images.size(); ++i)
    writeImage(report.images[i], i);
  page::writeEnd(os);
}

void writeHtml(raw_ostream &os, const Report &report) {
  HtmlWriter(os).write(report);
}

} // namespace lld::cuda::report
