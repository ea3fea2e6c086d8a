//===- Page.cpp - The frame of an HTML report -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The HTML reports (--resource-report, cubin-check, cubin-size) call
/// writeBegin() and writeEnd() around their contents. Style and script are in
/// the page, which loads nothing. Names in a report come from inputs and are
/// escaped; should one get through as markup, the page's
/// Content-Security-Policy stops it, since it allows the page's own style and
/// script by their SHA-256 and nothing else.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Page/Page.h"
#include "Script.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"
#include <ctime>

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
.k{overflow-x:auto}.k:focus-visible{outline:2px solid var(--link)}
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
svg{display:block;width:100%}svg:not([height]){height:auto}
svg text{font:110px system-ui,sans-serif;fill:var(--fg)}
.tree rect{stroke:var(--bg);stroke-width:10}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}
.d1{fill-opacity:.75}.d2{fill-opacity:.5}
.answer{font-size:1.15rem;font-weight:600;margin:.8rem 0}
.most{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(21rem,100%),1fr));gap:0 2rem;align-items:start}
caption{text-align:left;font-weight:600;padding:.8rem 0 .3rem}
th button{all:unset;cursor:pointer;text-decoration:underline dotted;text-underline-offset:3px}
th button:focus-visible,input:focus-visible,select:focus-visible{outline:2px solid var(--link);outline-offset:2px}
th[aria-sort] button{text-decoration:underline}
th[aria-sort=ascending] button::after{content:" ↑"}th[aria-sort=descending] button::after{content:" ↓"}
.fields{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:baseline;max-width:none}
input,select{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--dim);border-radius:4px;padding:.15rem .4rem;max-width:100%}
footer{margin-top:3rem;color:var(--dim);font-size:.85rem}
[hidden]{display:none!important}
@media(max-width:640px){body{padding:.6rem .8rem 3rem}.k table{min-width:46rem}th:first-child,td:first-child{min-width:9rem}}
@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--head:#eee;--warn:#a33a00;--link:#000}
nav,.fields{display:none}body{max-width:none;padding:0;font-size:9pt}.k{overflow:visible}.k section{content-visibility:visible!important}tr{break-inside:avoid}}
)";

/// Returns the hash of a style or script as a Content-Security-Policy has it.
static std::string hashOf(StringRef whole) {
  return "'sha256-" + encodeBase64(SHA256::hash(arrayRefFromStringRef(whole))) +
         "'";
}

void writeBegin(Text &text, StringRef title, StringRef style) {
  const std::string styles = ("\n" + Style + style).str();
  // Should a name from somewhere get through as markup, it can't do anything.
  text << "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src "
          "'none'; style-src "
       << hashOf(styles) << "; script-src " << hashOf(Script)
       << "; base-uri 'none'; form-action 'none'\">\n"
          "<meta name=viewport content='width=device-width, initial-scale=1'>\n"
          "<title>";
  text.putHtml(title);
  text << "</title>\n<style>" << styles << "</style></head><body><main>\n";
}

void writeBegin(raw_ostream &os, StringRef title, StringRef style) {
  Text text;
  writeBegin(text, title, style);
  os << text.str();
}

/// Returns today's date in UTC: "2026-03-01".
static std::string makeDate() {
  const time_t now = ::time(nullptr);
  struct tm day;
  char text[16];
  if (!::gmtime_r(&now, &day) ||
      !std::strftime(text, sizeof(text), "%Y-%m-%d", &day))
    return "";
  return text;
}

void writeEnd(Text &text, StringRef maker) {
  text << "<footer>Made by ";
  text.putHtml(maker);
  text << ", " << makeDate() << "</footer></main>\n<script>" << Script
       << "</script></body></html>\n";
}

void writeEnd(raw_ostream &os, StringRef maker) {
  Text text;
  writeEnd(text, maker);
  os << text.str();
}

void escape(raw_ostream &os, StringRef s) {
  Text text;
  text.putHtml(s);
  os << text.str();
}

void putNumber(Text &text, uint64_t number) {
  constexpr uint64_t Thousand = 1000;
  if (number < Thousand) {
    text << number;
    return;
  }
  putNumber(text, number / Thousand);
  const uint64_t rest = number % Thousand;
  text << ',' << rest / 100 << rest / 10 % 10 << rest % 10;
}

void putBytes(Text &text, uint64_t size) {
  putNumber(text, size);
  text << " B";
}

} // namespace lld::cuda::page
