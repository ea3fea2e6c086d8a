//===- Parser.h - Parser of mangled names -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A parser of names mangled by the Itanium C++ ABI, which builds nvlink's text
/// for a name as it reads. demangleLikeNvlink() (Demangle.cpp) runs one for
/// each name that -dump-callgraph or a message about registers shows, and for
/// names in other messages and reports that LLVM's demangler could expand to
/// gigabytes; Demangle.cpp, Types.cpp and Expressions.cpp are its parts.
/// There is no tree: a type is the text on both sides of the place where a
/// declarator would be. LLVM's demangler can't print this way: nvlink leaves
/// template parameters in signatures as T1, T2, and whether there is a blank
/// before '*' depends on how a name was mangled, not on what it means (rule
/// [demangling] of docs/reference).
/// Nesting and the text's length are limited, because substitutions let a short
/// name represent a very long one. Whatever the parser doesn't know sets
/// `failed`; the name then remains mangled.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_DEMANGLE_PARSER_H
#define LLD_CUDA_LIB_DEMANGLE_PARSER_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// The parser of one mangled name, which must outlive it.
class DemangleParser {
public:
  /// `cloneDepth` is the number of names that this one is a clone of.
  DemangleParser(llvm::StringRef mangled, unsigned cloneDepth)
      : rest(mangled), cloneDepth(cloneDepth) {}
  /// See demangleLikeNvlink().
  static std::string demangle(llvm::StringRef name, unsigned cloneDepth);
  /// Parses what follows "_Z", and a suffix after '$', which names a clone.
  std::string parseMangledName();
  bool hasFailed() const { return failed; }

private:
  /// A type, such as "int (*" and ")[3]".
  struct Type {
    std::string left, right;
    /// Whether there is a blank between `left` and what follows it.
    bool blank = false;
    /// Whether const is written after it.
    bool isPointer = false;
    /// Whether it is a function or an array, so that '*' needs parentheses.
    bool needsParentheses = false;
    /// Its name as constructors have it.
    std::string lastName;
  };
  struct Name {
    std::string text;
    std::string lastName;
    std::string qualifiers; ///< Those of a member function: " const".
    std::string suffix;     ///< That of a constructor or destructor.
    bool hasTemplateArgs = false;
    bool hasReturnType = true; ///< Used only for templates.
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
  /// Parses a decimal number; returns 0 if there is none.
  unsigned parseNumber();
  /// Parses an index in the given base: "_" is 0, "<n>_" is n + 1.
  unsigned parseIndex(unsigned radix = 10);
  void remember(Type type);
  /// Counts bytes of text that is made; fails beyond MaxText.
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
  bool inConversion = false; ///< Whether the type of a conversion operator is
                             ///< being parsed.
};

} // namespace lld::cuda

#endif
