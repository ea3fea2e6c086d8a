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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda::report {

static constexpr StringLiteral Head = R"(<!DOCTYPE html>
<html lang=en><head><meta charset=utf-8>
<meta name=viewport content='width=device-width, initial-scale=1'>
<title>Resources of device code</title>
<style>
:root{color-scheme:light dark;--bg:#fff;--fg:#1d2127;--dim:#5b6570;--line:#d9dee4;--head:#f3f5f8;--warn:#a33a00;--link:#0b57b0;
--c0:#bcd7f5;--c1:#c9e7c3;--c2:#f6dcae;--c3:#e3cdf3;--c4:#f5c6c6;--c5:#bfe6e6}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e4e8ed;--dim:#9ba6b2;--line:#343b44;--head:#1e232a;--warn:#ffab70;--link:#7ab7ff;
--c0:#234a72;--c1:#2b5a2b;--c2:#6b4d15;--c3:#533a69;--c4:#6e2f33;--c5:#1f5c5c}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1280px;padding:1rem 1.5rem 4rem;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1.25rem;margin:2.2rem 0 .6rem}h3{font-size:1.05rem;margin:1.6rem 0 .5rem}
a{color:var(--link)}p{max-width:75ch}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;padding:0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th{background:var(--head);font-weight:600}
th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}
.l{text-align:left}
.k table{table-layout:fixed}.k th{hyphens:manual}.k th:first-child{width:27%}
.k section{content-visibility:auto;contain-intrinsic-size:auto 6400px}
.t{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.8rem;margin:0;padding:0;list-style:none}
.t li{border:1px solid var(--line);border-radius:6px;padding:.5rem .8rem}
.t span{display:block;color:var(--dim);font-size:.85rem}.t b{font-size:1.2rem;font-weight:500}
small{color:var(--dim);display:block;overflow-wrap:anywhere}
.w{color:var(--warn);font-weight:600}
summary{cursor:pointer}summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
code,summary{font-family:ui-monospace,monospace;font-size:.87rem}
details>div{padding:.4rem 0 .4rem 1rem;font-size:.9rem}
svg{display:block;width:100%;height:auto}svg.map{max-width:600px;margin:.3rem 0;background:var(--head);outline:1px solid var(--line)}
svg text{font:110px system-ui,sans-serif;fill:var(--fg)}
.tree rect{stroke:var(--bg);stroke-width:10}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}
.d1{fill-opacity:.75}.d2{fill-opacity:.5}
</style></head><body><main>
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
  void text(StringRef s) { escape(os, s); }

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
  total("Code", bytes(image.code));
  total("Code left out", bytes(image.droppedCode));
  total("Global memory", bytes(image.globalMemory));
  total("Constant memory", bytes(image.constantMemory));
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
  os << Head << "<h1>Resources of device code</h1>\n<nav><ul>";
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
  os << "</main></body></html>\n";
}

void writeHtml(raw_ostream &os, const Report &report) {
  HtmlWriter(os).write(report);
}

} // namespace lld::cuda::report
