//===- RegisterFile.cpp - The file for crt/link.stub ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --register-link-binaries: one line for every linked object, from which the
/// host compiler makes the code that registers them with the CUDA runtime.
/// An object is named by its module id, or by its path if it has none; objects
/// that an earlier device link has registered ("def ID") are left out (spec:
/// inputs, section 6).
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "OutputFile.h"
#include "Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace lld::cuda;

/// The ids of a list; a run of NULs separates like a single one, but NULs in
/// front make the first id an empty one.
static SmallVector<StringRef, 4> splitModuleIds(StringRef list) {
  SmallVector<StringRef, 4> ids;
  if (list.starts_with(StringRef("\0", 1)))
    ids.push_back("");
  for (StringRef name : splitNames(list))
    ids.push_back(name);
  return ids;
}

/// The path as an identifier. It is made absolute but not resolved: the name
/// must be the one that the compiler's other steps make.
static std::string mangle(StringRef path) {
  SmallString<256> absolute;
  if (!path.starts_with("/")) {
    sys::fs::current_path(absolute);
    absolute += '/';
  }
  absolute += path;
  for (char &c : absolute)
    if (!isAlnum(c))
      c = '_';
  return std::string(absolute);
}

void lld::cuda::writeRegisterFile(Ctx &ctx) {
  std::vector<std::string> first;
  std::vector<StringRef> further;
  StringSet<> defined;
  for (const InputFile &file : ctx.inputs) {
    if (file.dropped)
      continue;
    for (const InputUnit &unit : file.units) {
      switch (unit.registration) {
      case InputUnit::Registration::None:
        break;
      case InputUnit::Registration::Path:
        first.push_back(mangle(unit.label));
        break;
      case InputUnit::Registration::ModuleIds: {
        auto ids = splitModuleIds(unit.moduleIds);
        first.push_back(ids.front().str());
        append_range(further, drop_begin(ids));
        break;
      }
      case InputUnit::Registration::Definitions:
        for (StringRef id : splitNames(unit.moduleIds))
          if (id.consume_front("def "))
            defined.insert(id);
        break;
      }
    }
  }

  llvm::erase_if(first,
                 [&](const std::string &id) { return defined.contains(id); });
  std::string text = "#define NUM_PRELINKED_OBJECTS " +
                     utostr(first.size() + further.size()) + "\n";
  auto add = [&](StringRef id) {
    text += ("DEFINE_REGISTER_FUNC(" + id + ")\n").str();
  };
  for (StringRef id : first)
    add(id);
  for (StringRef id : reverse(further))
    add(id);
  saveFile(ctx, *ctx.config.registerFile, text);
}
