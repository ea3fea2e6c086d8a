//===- Script.h - JavaScript of HTML reports --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The JavaScript of the HTML reports. Page.cpp writes it at the end of each
/// page, and its hash into the page's Content-Security-Policy. It lets the
/// reader sort tables by a column (`div class=k`), adds fields that filter rows
/// by name and by what limits occupancy (`data-filter`, whose value is the noun
/// for what is counted) and a choice of the architecture (`section class=a`),
/// and shows the target of a link even if it was hidden or folded. It never
/// turns text into markup, and reads and sends nothing; a page shows the same
/// contents without it. For speed, long tables are divided into sections;
/// sorting distributes the rows among them again.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PAGE_SCRIPT_H
#define LLD_CUDA_PAGE_SCRIPT_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda::page {

inline constexpr llvm::StringLiteral Script = R"js('use strict';
const all=(selector,from=document)=>[...from.querySelectorAll(selector)];
const make=(name,fields,...inside)=>{const e=Object.assign(document.createElement(name),fields);e.append(...inside);return e};
const shown=cell=>(cell.querySelector('summary')||cell).textContent.trim();
const valueOf=(cell,isName)=>{
  const text=shown(cell);
  if(isName)return text;
  if(text=='unbounded')return Infinity;
  const number=parseFloat(text.replace(/,/g,''));
  return isNaN(number)?text=='?'||!text?-Infinity:text:number};
const order=(a,b)=>typeof a==typeof b?a<b?-1:a>b?1:0:typeof a=='number'?-1:1;
const groups=new Intl.NumberFormat('en');
for(const box of all('.k')){
  const bodies=all('tbody',box),sizes=bodies.map(b=>b.rows.length),rows=bodies.flatMap(b=>[...b.rows]);
  if(rows.length<2)continue;
  let column=-1,sign=1,hidden=()=>false,count=()=>{};
  const fill=()=>{
    let at=0;
    const kept=rows.filter(r=>!hidden(r));
    bodies.forEach((body,i)=>{
      const part=kept.slice(at,at+=sizes[i]);
      body.replaceChildren(...part);
      body.parentNode.hidden=!part.length&&i>0});
    count(kept.length)};
  const sort=at=>{
    sign=column==at?-sign:at?-1:1;
    column=at;
    const keys=new Map(rows.map((r,i)=>[r,[valueOf(r.cells[at],!at),i]]));
    rows.sort((x,y)=>{const a=keys.get(x),b=keys.get(y);return sign*order(a[0],b[0])||a[1]-b[1]});
    for(const head of all('th',box))
      if(head.cellIndex==at)head.ariaSort=sign>0?'ascending':'descending';else head.removeAttribute('aria-sort');
    fill()};
  for(const head of all('th',box)){
    const at=head.cellIndex;
    head.replaceChildren(make('button',{type:'button',onclick:()=>sort(at)},...head.childNodes))}
  if(!box.dataset.filter||rows.length<4)continue;
  const noun=box.dataset.filter,words=make('input',{type:'search'}),limit=make('select',{},make('option',{value:''},'any'));
  const limitOf=row=>(/, by (.*)/.exec(row.cells[row.cells.length-1].textContent)||[])[1]||'';
  const limits=[...new Set(rows.map(limitOf))].filter(Boolean).sort();
  limit.append(...limits.map(l=>make('option',{value:l},l)));
  const says=make('output',{});
  const names=new Map();
  const nameOf=row=>{let n=names.get(row);if(n===undefined)names.set(row,n=row.cells[0].textContent.toLowerCase());return n};
  const refresh=()=>{
    const wanted=words.value.toLowerCase().split(/\s+/).filter(Boolean),by=limit.value;
    hidden=row=>by&&limitOf(row)!=by||!wanted.every(w=>nameOf(row).includes(w));
    fill()};
  count=kept=>{says.textContent=groups.format(kept)+' of '+groups.format(rows.length)+' '+noun};
  words.oninput=limit.onchange=refresh;
  box.resetFilter=()=>{words.value=limit.value='';refresh()};
  const fields=make('p',{className:'fields'},make('label',{},'Name ',words));
  if(limits.length>1)fields.append(make('label',{},'Limited by ',limit));
  fields.append(says);
  box.before(fields);
  count(rows.length);
}
const images=all('section.a');
if(images.length>1){
  const choice=make('select',{},make('option',{value:''},'all'),...images.map((s,i)=>make('option',{value:'s'+i},s.dataset.arch)));
  choice.onchange=()=>images.forEach((s,i)=>s.hidden=choice.value&&choice.value!='s'+i);
  document.querySelector('nav').after(make('p',{className:'fields'},make('label',{},'Architecture ',choice)));
}
const follow=()=>{
  const name=location.hash.slice(1);
  if(!name)return;
  let goal=document.getElementById(name);
  if(!goal)for(const box of all('.k'))if(box.resetFilter){box.resetFilter();goal=goal||document.getElementById(name)}
  if(!goal)return;
  const image=goal.closest('section.a');
  if(image)image.hidden=false;
  const more=goal.querySelector('details');
  if(more)more.open=true;
  goal.scrollIntoView()};
addEventListener('hashchange',follow);
follow();
)js";

} // namespace lld::cuda::page

#endif
