//===- Parser.h - Reading mangled names ----------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names mangled by the Itanium C++ ABI, turned into nvlink's text as they are
/// read. There is no tree: a type is the text on both sides of the place where
/// a declarator would stand. LLVM's demangler can't be told to print this way:
/// nvlink leaves template parameters in signatures as T1, T2, and whether a
/// blank stands before '*' depends on how a name was mangled, not on what
/// it means [demangling].
///
/// Nesting and the text's length are limited, because substitutions let a
/// short name stand for a very long one. Whatever isn't understood sets
/// `failed`; the name then stays mangled.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_DEMANGLE_PARSER_H
#define LLD_CUDA_LIB_DEMANGLE_PARSER_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace lld::cuda {

class DemangleParser {
public:
  /// `cloneDepth`: how many names this one is a clone of.
  DemangleParser(llvm::StringRef mangled, unsigned cloneDepth)
      : rest(mangled), cloneDepth(cloneDepth) {}
  /// See demangleLikeNvlink().
  static std::string demangle(llvm::StringRef name, unsigned cloneDepth);
  /// What follows "_Z"; with a suffix after '$', which names a clone.
  std::string parseMangledName();
  bool hasFailed() const { return failed; }

private:
  /// A type: "int (*" and ")[3]", say.
  struct Type {
    std::string left, right;
    /// A blank stands between the left part and what follows it.
    bool blank = false;
    /// const goes after it.
    bool isPointer = false;
    /// A function or array: '*' needs parentheses.
    bool needsParentheses = false;
    /// Its name as constructors have it.
    std::string lastName;
  };
  struct Name {
    std::string text;
    std::string lastName;
    std::string qualifiers; ///< A member function's " const".
    std::string suffix;     ///< A constructor's or destructor's.
    bool hasTemplateArgs = false;
    bool hasReturnType = true; ///< If a template.
    bool fromSubstitution = false;
  };

  // Names.
  std::string parseEncoding(bool isTopLevel);
  std::string parseSpecialName();
  std::string parseCallOffset();
  Name parseName();
  Name parseNestedName();
  Name parseLocalName();
  void parseComponent(Name &name);
  bool parseConstructorOrDestructor(Name &name);
  std::string parseUnqualifiedName(Name &name);
  std::string parseSourceName();
  std::string parseOperatorName(Name *name);
  std::string parseClosureName();
  std::string parseTemplateArgs();
  std::string parseTemplateArg();
  std::string parseTemplateParam();
  std::string parseDiscriminator();
  std::string parseParameters(bool isTopLevel);
  std::string parseMemberQualifiers();
  bool parseSubstitution(Type &type);

  // Types.
  Type parseType();
  Type parseBuiltinType();
  Type parseExtendedType();
  Type parseQualifiedType();
  Type parsePointerType(const char *token);
  Type parseMemberPointerType();
  Type parseFunctionType(llvm::StringRef qualifiers);
  Type parseArrayType();
  Type parseVectorType();
  Type parseTypeFromSubstitution();
  Type parseClassType();
  std::string parseDecltype();
  std::string parseTypeText() { return print(parseType()); }
  static std::string print(const Type &type);
  void addDeclarator(Type &type, llvm::StringRef token);

  // Expressions.
  std::string parseExpression();
  std::string parseBinary(llvm::StringRef code);
  std::string parseUnary(llvm::StringRef code);
  std::string parseOtherExpression(llvm::StringRef code);
  std::string parseExpressions(char end = 'E');
  std::string parseFunctionParam();
  std::string parseNew(bool isArray);
  std::string parseConversion();
  std::string parseFold(char kind);
  std::string parseCast(const char *keyword);
  std::string parseUnresolvedName();
  std::string parseBaseUnresolvedName();
  std::string parseLiteral();

  // Text.
  bool atEnd() const { return rest.empty() || rest.front() == '$'; }
  char peek(size_t i = 0) const { return i < rest.size() ? rest[i] : 0; }
  bool consume(llvm::StringRef s) { return rest.consume_front(s); }
  void expect(llvm::StringRef s) {
    if (!consume(s))
      fail();
  }
  std::string fail() {
    failed = true;
    rest = {};
    return {};
  }
  /// A decimal number; 0 if there is none.
  unsigned parseNumber();
  /// "_" is 0, "<n>_" is n + 1, in the given base.
  unsigned parseIndex(unsigned radix = 10);
  void remember(Type type);
  /// Counts the text that is made; see MaxText.
  void charge(size_t bytes);

  static constexpr unsigned MaxDepth = 128, MaxCloneDepth = 16;
  static constexpr size_t MaxText = 1 << 20;

  struct DepthGuard {
    explicit DepthGuard(DemangleParser &p) : p(p) {
      if (++p.depth > MaxDepth)
        p.fail();
    }
    ~DepthGuard() { --p.depth; }
    DemangleParser &p;
  };

  llvm::StringRef rest;
  std::vector<Type> substitutions;
  unsigned depth = 0, cloneDepth;
  size_t charged = 0;
  bool failed = false;
  bool inConversion = false; ///< In the type of a conversion operator.
};

} // namespace lld::cuda

#endif
