//===- Page.cpp -----------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Page/Page.h"

using namespace llvm;

namespace lld::cuda::page {

static constexpr StringLiteral Style =
    R"(:root{color-scheme:light dark;--bg:#fff;--fg:#1d2127;--dim:#5b6570;--line:#d9dee4;--head:#f3f5f8;--warn:#a33a00;--link:#0b57b0;
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
.t{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.8rem;margin:0;padding:0;list-style:none}
.t li{border:1px solid var(--line);border-radius:6px;padding:.5rem .8rem}
.t span{display:block;color:var(--dim);font-size:.85rem}.t b{font-size:1.2rem;font-weight:500}
small{color:var(--dim);display:block;overflow-wrap:anywhere}
.w{color:var(--warn);font-weight:600}
summary{cursor:pointer}summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
code,summary{font-family:ui-monospace,monospace;font-size:.87rem}
details>div{padding:.4rem 0 .4rem 1rem;font-size:.9rem}
svg{display:block;width:100%;height:auto}
svg text{font:110px system-ui,sans-serif;fill:var(--fg)}
.tree rect{stroke:var(--bg);stroke-width:10}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}
.d1{fill-opacity:.75}.d2{fill-opacity:.5}
)";

void writeBegin(Text &text, StringRef title, StringRef style) {
  // Should a name from somewhere get through as markup, it can't do anything.
  text << "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src "
          "'none'; style-src 'unsafe-inline'\">\n"
          "<meta name=viewport content='width=device-width, initial-scale=1'>\n"
          "<title>";
  text.putHtml(title);
  text << "</title>\n<style>\n"
       << Style << style << "</style></head><body><main>\n";
}

void writeBegin(raw_ostream &os, StringRef title, StringRef style) {
  Text text;
  writeBegin(text, title, style);
  os << text.str();
}

void writeEnd(Text &text) { text << "</main></body></html>\n"; }

void writeEnd(raw_ostream &os) {
  Text text;
  writeEnd(text);
  os << text.str();
}

void escape(raw_ostream &os, StringRef s) {
  Text text;
  text.putHtml(s);
  os << text.str();
}

void putBytes(Text &text, uint64_t size) {
  // In tenths, rounded.
  auto inUnits = [&](unsigned shift) {
    const uint64_t tenths = ((size >> (shift - 10)) * 10 + 512) >> 10;
    text << tenths / 10 << '.' << tenths % 10;
  };
  if (size < 10240) {
    text << size << " B";
  } else if (size < 10 << 20) {
    inUnits(10);
    text << " KiB";
  } else {
    inUnits(20);
    text << " MiB";
  }
}

} // namespace lld::cuda::page
