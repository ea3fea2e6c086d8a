//===- NearNames.cpp - Names that may have been meant ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// compareNames() compares a name that isn't known with one that is, and says
/// whether and how somebody may have mixed them up: two letters swapped, other
/// parameters, another namespace, extern "C" on one side only.
/// ExplainUndefined.cpp suggests what an undefined symbol may mean by it; the
/// readers of options use countEdits() alone. A wrong namespace counts only if
/// all else is right: for ns::scale(float) both ns::scale(double) and
/// other::scale(float) are near, other::scale(double) isn't.
///
/// Demangling each symbol of a large link would take long. mayBeNear() first
/// looks for a part like the wanted one in the mangled name itself, where its
/// length precedes it (5scale).
///
//===----------------------------------------------------------------------===//

#include "Explain/NearNames.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace lld::cuda {

static constexpr unsigned MaxEdits = 2;

bool isLikelyTypo(StringRef word, unsigned distance) {
  constexpr unsigned LettersForAnEdit = 3;
  return distance <= MaxEdits && distance * LettersForAnEdit <= word.size();
}

/// Whether two neighbours changed places, which is one slip of the fingers.
static bool isSwapped(StringRef word, StringRef other) {
  if (word.size() != other.size())
    return false;
  size_t i = 0;
  while (i != word.size() && word[i] == other[i])
    ++i;
  return i + 1 < word.size() && word[i] == other[i + 1] &&
         word[i + 1] == other[i] &&
         word.drop_front(i + 2) == other.drop_front(i + 2);
}

unsigned countEdits(StringRef word, StringRef other, unsigned max) {
  return isSwapped(word, other)
             ? 1
             : word.edit_distance(other, /*AllowReplacements=*/true, max);
}

/// Returns the number of edits, or nothing if there are too many for a typo.
static std::optional<unsigned> countTypo(StringRef word, StringRef other) {
  if (std::max(word.size(), other.size()) -
          std::min(word.size(), other.size()) >
      MaxEdits)
    return std::nullopt;
  const unsigned distance = countEdits(word, other, MaxEdits);
  if (!isLikelyTypo(word, distance))
    return std::nullopt;
  return distance;
}

static std::string takeText(function_ref<char *(char *, size_t *)> print) {
  char *buffer = print(nullptr, nullptr);
  std::string text = buffer ? buffer : "";
  std::free(buffer);
  return text;
}

/// The last "::" outside of template arguments divides scope and base.
static void splitVariable(StringRef text, NameParts &parts) {
  unsigned depth = 0;
  size_t at = StringRef::npos;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '<' || text[i] == '(';
    depth -= depth && (text[i] == '>' || text[i] == ')');
    if (!depth && text[i] == ':' && text[i + 1] == ':')
      at = i;
  }
  if (at == StringRef::npos) {
    parts.base = text.str();
    return;
  }
  parts.scope = text.take_front(at).str();
  parts.base = text.drop_front(at + 2).str();
}

static bool isIdentifier(StringRef text) {
  return !text.empty() && !isDigit(text.front()) &&
         all_of(text, [](char c) { return isAlnum(c) || c == '_'; });
}

NameParts NameParts::of(StringRef symbol) {
  constexpr size_t MaxLength = 10000;
  NameParts parts;
  if (!symbol.starts_with("_Z")) {
    parts.base = symbol.str();
    return parts;
  }
  parts.isMangled = true;
  if (symbol.size() > MaxLength || !isSafeToDemangle(symbol))
    return parts;
  ItaniumPartialDemangler demangler;
  const std::string text = symbol.str();
  if (demangler.partialDemangle(text.c_str()))
    return parts;
  if (!demangler.isFunction()) {
    splitVariable(takeText([&](char *b, size_t *n) {
                    return demangler.finishDemangle(b, n);
                  }),
                  parts);
  } else {
    parts.base = takeText([&](char *b, size_t *n) {
      return demangler.getFunctionBaseName(b, n);
    });
    parts.scope = takeText([&](char *b, size_t *n) {
      return demangler.getFunctionDeclContextName(b, n);
    });
    parts.parameters = takeText([&](char *b, size_t *n) {
      return demangler.getFunctionParameters(b, n);
    });
    parts.isTemplate = StringRef(takeText([&](char *b, size_t *n) {
                         return demangler.getFunctionName(b, n);
                       })).ends_with(">");
  }
  if (!isIdentifier(parts.base))
    parts.base.clear();
  return parts;
}

NameParts partsOfStatic(StringRef symbol) {
  // nvcc: "__nv_static_LENGTH__HASH_FILE_NAME", whose last part may have
  // underscores itself; a scope for functions.
  NameParts parts = NameParts::of(symbol);
  StringRef scope = parts.scope;
  const bool isMade = scope.starts_with("_INTERNAL_") ||
                      scope.starts_with("(anonymous namespace)");
  if (isMade)
    parts.scope = scope.split("::").second.str();
  return parts;
}

/// One part is wrong at a time, or two that are near. Many names have a member
/// function size() or get(); those of other classes aren't meant.
std::optional<NearName> compareNames(const NameParts &wanted,
                                     const NameParts &other) {
  constexpr unsigned CostOfEdit = 2, CostOfScope = 3, CostOfParameters = 1;
  if (wanted.base.empty() || other.base.empty())
    return std::nullopt;
  const std::optional<unsigned> edits = countTypo(wanted.base, other.base);
  if (!edits)
    return std::nullopt;
  if (wanted.isMangled != other.isMangled) {
    if (*edits || !wanted.scope.empty() || !other.scope.empty())
      return std::nullopt;
    return NearName{NearName::Linkage, CostOfParameters};
  }
  const bool sameScope = wanted.scope == other.scope;
  const bool sameParameters = wanted.parameters == other.parameters;
  if (!sameScope && !sameParameters)
    return std::nullopt;
  unsigned cost = CostOfEdit * *edits;
  if (!sameScope) {
    if (*edits)
      return std::nullopt;
    const auto scopeEdits = countTypo(wanted.scope, other.scope);
    cost += scopeEdits ? *scopeEdits : CostOfScope;
  }
  if (!sameParameters) {
    // Long lists of parameters have few letters that differ.
    constexpr unsigned Far = 8, LettersForOne = 4;
    const unsigned distance =
        StringRef(wanted.parameters).edit_distance(other.parameters, true, Far);
    cost += CostOfParameters + std::min(distance, Far) / LettersForOne;
  }
  return NearName{*edits      ? NearName::Spelling
                  : sameScope ? NearName::Parameters
                              : NearName::Scope,
                  cost};
}

bool mayBeNear(StringRef symbol, StringRef base) {
  if (!symbol.starts_with("_Z"))
    return countTypo(base, symbol).has_value();
  // In a mangled name each part follows its length: 5scale.
  for (size_t i = 2; i < symbol.size();) {
    if (!isDigit(symbol[i])) {
      ++i;
      continue;
    }
    StringRef rest = symbol.drop_front(i);
    size_t size = 0;
    if (rest.consumeInteger(10, size) || size > rest.size()) {
      ++i; // A number of another kind.
      continue;
    }
    if (countTypo(base, rest.take_front(size)))
      return true;
    // A literal's number isn't a length: what it would skip is looked at, too.
    const bool isLiteral = i >= 2 && symbol[i - 2] == 'L';
    i = symbol.size() - rest.size() + (isLiteral ? 0 : size);
  }
  return false;
}

} // namespace lld::cuda
