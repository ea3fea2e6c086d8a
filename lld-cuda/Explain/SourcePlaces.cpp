//===- SourcePlaces.cpp - Source lines of symbols and of code -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// SourcePlaces finds the line of the source that a message is about: of a
/// definition, of the code that first names a symbol, of calls through
/// pointers. The explanations of errors (ExplainUndefined.cpp and its
/// neighbours) and --why-* ask it (Report/Why.h). An object's debug information
/// is read with the first question about the object. Hostile tables could make
/// each question expensive, so only 1000 questions that come with single
/// messages are answered for an object. Offsets are those of the object as it
/// was read, also after the link has moved code.
///
//===----------------------------------------------------------------------===//

#include "Explain/SourcePlaces.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Program.h"
#include "lld-cuda/Sass/Code.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

SourcePlaces &SourcePlaces::of(const Inputs &inputs, const Program &program) {
  if (!inputs.tools.sourcePlaces)
    inputs.tools.sourcePlaces = std::make_shared<SourcePlaces>(program);
  return *inputs.tools.sourcePlaces;
}

SourcePlaces::Object::Object(const ObjectFile &obj) : lines(obj.file) {
  if (lines.empty())
    return;
  const CubinSymbolTable &table = obj.file.symtab();
  for (unsigned i = 1; i < table.symbols.size(); ++i)
    if (const Elf_Sym &sym = table.symbols[i];
        sym.getType() == STT_FUNC && sym.st_shndx != SHN_UNDEF)
      functions.try_emplace(CachedHashStringRef(table.name(sym)), i);
}

SourcePlaces::Object &SourcePlaces::read(const ObjectFile &obj) {
  std::unique_ptr<Object> &found = objects[obj.ordinal];
  if (!found)
    found = std::make_unique<Object>(obj);
  return *found;
}

SourcePlaces::Object *SourcePlaces::ask(const ObjectFile &obj) {
  Object &object = read(obj);
  return object.questionsLeft && object.questionsLeft-- ? &object : nullptr;
}

std::optional<SourceLine>
SourcePlaces::code(const ObjectFile &obj, unsigned section, uint64_t offset) {
  const Object *object = ask(obj);
  return object ? object->lines.find(section, offset) : std::nullopt;
}

std::optional<SourceLine> SourcePlaces::symbol(const ObjectFile &obj,
                                               StringRef name) {
  Object *object = ask(obj);
  if (!object)
    return std::nullopt;
  auto it = object->functions.find(CachedHashStringRef(name));
  if (it == object->functions.end()) {
    if (!object->variables)
      object->variables.emplace(obj.file, object->lines);
    return object->variables->find(name);
  }
  const unsigned i = it->second;
  return object->lines.findFirst(obj.file.sectionIndex(i),
                                 obj.inputSymbol(i).st_value);
}

unsigned SourcePlaces::textOf(const Function &f) const {
  if (!f.defined || !f.text)
    return 0;
  const ObjectFile &obj = program.objects[f.definedIn];
  for (unsigned i = 1; i < obj.textOwner.size(); ++i)
    if (obj.textOwner[i] && obj.symbols[obj.textOwner[i]] == &f &&
        obj.file.sections()[i].sh_flags & SHF_EXECINSTR &&
        !obj.isLost(obj.textOwner[i]))
      return i;
  return 0;
}

std::optional<SourceLine> SourcePlaces::definition(const Symbol &s) {
  if (!s.defined)
    return std::nullopt;
  const ObjectFile &obj = program.objects[s.definedIn];
  if (!s.isFunction())
    return symbol(obj, s.name);
  const SourceLines &lines = read(obj).lines;
  if (lines.empty())
    return std::nullopt;
  const unsigned text = textOf(static_cast<const Function &>(s));
  return text ? lines.findFirst(text) : std::nullopt;
}

/// The offset of the first entry that names a symbol.
template <typename Rel>
static std::optional<uint64_t>
findEntry(const ObjectFile &obj, ArrayRef<Rel> entries, const Symbol &symbol) {
  std::optional<uint64_t> first;
  for (const Rel &r : entries) {
    const uint32_t index = r.getSymbol(false);
    if (index < obj.symbols.size() && obj.symbols[index] == &symbol)
      first = std::min<uint64_t>(first.value_or(r.r_offset), r.r_offset);
  }
  return first;
}

std::optional<SourceLine> SourcePlaces::reference(const Function &from,
                                                  const Symbol &to) {
  if (!from.defined)
    return std::nullopt;
  const ObjectFile &obj = program.objects[from.definedIn];
  const SourceLines &lines = read(obj).lines;
  if (lines.empty())
    return std::nullopt;
  const unsigned text = textOf(from);
  for (unsigned i = 1; text && i < obj.file.sections().size(); ++i) {
    const Elf_Shdr &shdr = obj.file.sections()[i];
    if (shdr.sh_info != text || shdr.sh_flags & SHF_CUDA_MERCURY)
      continue;
    std::optional<uint64_t> at;
    if (shdr.sh_type == SHT_RELA)
      at = findEntry(obj, obj.file.relas(i), to);
    else if (shdr.sh_type == SHT_REL)
      at = findEntry(obj, obj.file.rels(i), to);
    if (at)
      return lines.find(text, *at);
  }
  return std::nullopt;
}

/// The callee's address is in a register, or comes from constant memory.
static bool isIndirectCall(const sass::Instruction &inst) {
  constexpr unsigned Immediate = 4; // Bits 9 to 11: what kind of operand.
  return inst.isCall() && inst.opcode() >> 9 != Immediate;
}

std::vector<SourceLine> SourcePlaces::indirectCalls(const Function &from) {
  constexpr size_t MaxLines = 4, MaxCalls = 64;
  std::vector<SourceLine> result;
  if (!from.defined || from.indirectCalls.empty())
    return result;
  const ObjectFile &obj = program.objects[from.definedIn];
  const SourceLines &lines = read(obj).lines;
  const unsigned text = lines.empty() ? 0 : textOf(from);
  if (!text)
    return result;
  const ArrayRef<uint8_t> code = obj.file.contents(text);
  size_t callsLeft = MaxCalls;
  for (size_t at = 0; at + sass::InstructionSize <= code.size() && callsLeft;
       at += sass::InstructionSize) {
    if (!isIndirectCall(sass::Instruction::read(&code[at])))
      continue;
    --callsLeft;
    const std::optional<SourceLine> line = lines.find(text, at);
    if (!line || any_of(result, [&](const SourceLine &known) {
          return known.line == line->line && known.file == line->file;
        }))
      continue;
    result.push_back(*line);
    if (result.size() == MaxLines)
      break;
  }
  return result;
}

std::string describePlaces(ArrayRef<SourceLine> places) {
  std::string text;
  for (const SourceLine &place : places) {
    if (!text.empty())
      text += &place == &places.back() ? " or " : ", ";
    text += place.str();
  }
  return text;
}

std::string describePlace(StringRef before,
                          const std::optional<SourceLine> &place,
                          StringRef after) {
  return place ? (before + place->str() + after).str() : std::string();
}

} // namespace lld::cuda
