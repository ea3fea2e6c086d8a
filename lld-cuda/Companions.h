//===- Companions.h - Sections that exist by name only ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For each kernel K, nvlink creates .nv.shared.K behind .nv.info.K, and
/// .rel.nv.constant0.K (for texture slots) behind .nv.constant0.K. Few kernels
/// need these two sections, which then aren't written; but their names are in
/// both string tables in any case, and they count in the order of creation
/// (rule [string-section-names] of docs/reference).
///
/// So in final links below sm_100 the merge only notes them, as the companions
/// of the sections behind which they stand (OutputSection::companion). Passes
/// that need one call getSharedSection() or getTextureSlots(), which create it.
/// Such a section is put at its place by placeCompanions(), at the end of the
/// merge and at the end of the layout. The passes that number sections and make
/// string tables (Output/) treat the others as the names that they are.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_COMPANIONS_H
#define LLD_CUDA_COMPANIONS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

struct Function;
struct Inputs;
struct OutputSection;
struct Program;

/// Returns whether the link notes companions instead of creating them.
bool hasCompanions(const Inputs &inputs);
/// Notes the companion of .nv.info.K or .nv.constant0.K, which must be the last
/// section that was created. A section symbol may still be missing.
void noteCompanion(OutputSection &sec);

/// Return the function's .nv.shared.F or .rel.nv.constant0.F, or null if it has
/// none. Create the section if it has only been noted.
OutputSection *getSharedSection(const Inputs &inputs, Program &program,
                                Function &f);
OutputSection *getTextureSlots(const Inputs &inputs, Program &program,
                               Function &f);

/// What the name of .nv.info.K begins with. Of the sections that have a
/// companion the others are banks of constants.
constexpr llvm::StringLiteral InfoPrefix = ".nv.info.";
/// Calls visit(front, back) with the two parts of the name of the companion of
/// a section that is called `name`; `front` is a string literal.
template <class Visit>
auto withCompanionName(llvm::StringRef name, Visit visit) {
  return name.consume_front(InfoPrefix) ? visit(".nv.shared.", name)
                                        : visit(".rel", name);
}
/// Returns that name in one part.
std::string getCompanionName(llvm::StringRef name);

/// Puts the companions that were created since the last call, and their
/// symbols, where they are in the order of creation.
void placeCompanions(Program &program);

} // namespace lld::cuda

#endif
