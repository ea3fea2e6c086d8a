//===- Toml.cpp - Parser of a part of TOML --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Resource budgets (ResourceBudget.cpp) and the policy of cubin-check are
/// files in this part of TOML. readToml() goes line by line and knows no keys:
/// it tells the caller each table and each value, and puts the line's number in
/// front of the error that the caller returns. A value that is neither integer,
/// boolean nor string, such as an array, comes without any of the three;
/// callers report it, since they know what the key needs.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Toml.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace lld::cuda {

/// Without a comment, which begins outside of quotes.
static StringRef withoutTomlComment(StringRef line) {
  char quote = 0;
  for (size_t i = 0; i != line.size(); ++i) {
    if (quote)
      quote = line[i] == quote ? 0 : quote;
    else if (line[i] == '"' || line[i] == '\'')
      quote = line[i];
    else if (line[i] == '#')
      return line.take_front(i).trim();
  }
  return line.trim();
}

/// What stands in quotes; none if it isn't in quotes or has escapes.
static std::optional<StringRef> unquote(StringRef text) {
  for (StringRef quote : {"\"", "'"})
    if (text.size() > 1 && text.consume_front(quote)) {
      if (!text.consume_back(quote) || text.contains(quote) ||
          (quote == "\"" && text.contains('\\')))
        return std::nullopt;
      return text;
    }
  return std::nullopt;
}

static Expected<StringRef> readTableName(StringRef line) {
  if (!line.consume_back("]"))
    return createStringError("expected ']'");
  line = line.trim();
  if (line.starts_with("\"") || line.starts_with("'")) {
    if (std::optional<StringRef> name = unquote(line))
      return *name;
    return createStringError(
        "expected a pattern in quotes; one that contains \\ or \" needs '...'");
  }
  if (line.empty() || line.contains('.') || line.contains('['))
    return createStringError("expected a pattern in quotes");
  return line;
}

static TomlValue readValue(StringRef text) {
  TomlValue value;
  if (text == "true" || text == "false") {
    value.flag = text == "true";
    return value;
  }
  if (std::optional<StringRef> word = unquote(text)) {
    value.text = word->str();
    return value;
  }
  std::string digits = text.str();
  llvm::erase(digits, '_');
  int64_t number;
  if (!StringRef(digits).getAsInteger(0, number))
    value.integer = number;
  return value;
}

Error readToml(StringRef text, function_ref<Error(StringRef)> table,
               function_ref<Error(StringRef, const TomlValue &)> value) {
  auto readLine = [&](StringRef line) {
    if (!line.consume_front("[")) {
      auto [key, word] = line.split('=');
      return value(key.trim(), readValue(word.trim()));
    }
    Expected<StringRef> name = readTableName(line);
    return name ? table(*name) : name.takeError();
  };
  for (unsigned number = 1; !text.empty(); ++number) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line = withoutTomlComment(line);
    if (line.empty())
      continue;
    if (Error e = readLine(line))
      return createStringError("line " + Twine(number) + ": " +
                               toString(std::move(e)));
  }
  return Error::success();
}

} // namespace lld::cuda
