//===- CheckSize.cpp - Bytes that nobody needs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's check() calls checkSize() for three kinds of bytes that a
/// shipped file could do without: relocatable code that stays behind after a
/// device link, machine code that is there twice, and debug information. Equal
/// images are those with the same hash, size and architecture. Relocatable code
/// is left over only if the file has linked code as well; without that, it may
/// still be wanted.
///
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace lld::cuda {

namespace {

struct Amount {
  size_t images = 0;
  uint64_t bytes = 0;

  void add(uint64_t size) {
    ++images;
    bytes += size;
  }
};

} // namespace

static std::string describe(const Amount &amount) {
  return std::to_string(amount.images) +
         (amount.images == 1 ? " image, " : " images, ") +
         std::to_string(amount.bytes) + " bytes";
}

static void checkFileSize(const FileFacts &file, CheckResult &result) {
  Amount leftOver, same, debug;
  // Without a device link it is all there is.
  const bool wasLinked = file.hasLinkedCode;
  std::map<std::tuple<uint64_t, uint64_t, unsigned>, bool> seen;
  for (const ImageFacts &image : file.images) {
    if (image.isInLinkedFile && image.isForDeviceLink) {
      // isForDriver() tells whether PTX of a device link's inputs is still of
      // use.
      if (wasLinked && !isForDriver(image, file) &&
          image.form != ImageForm::LTOIR)
        leftOver.add(image.stored);
      continue;
    }
    if (image.form != ImageForm::Cubin || !image.isRead || image.isEmpty)
      continue;
    if (!seen.try_emplace({image.hash, image.unpacked, image.arch.number}, true)
             .second)
      same.add(image.stored);
    if (image.debugBytes)
      debug.add(image.debugBytes);
  }
  auto add = [&](FindingId id, const Twine &what) {
    result.findings.push_back({id, file.name, what.str(), {}, {}});
  };
  if (leftOver.images)
    add(FindingId::LeftOverCode,
        "relocatable code is left over from its device link: " +
            describe(leftOver));
  if (same.images)
    add(FindingId::SameImage, "some of its machine code is present more than "
                              "once; beyond the first: " +
                                  describe(same));
  if (debug.images)
    add(FindingId::DebugInformation,
        "its machine code has debug information: " + describe(debug) +
            " unpacked");
}

void checkSize(const Facts &facts, CheckResult &result) {
  for (const FileFacts &file : facts.files)
    checkFileSize(file, result);
}

} // namespace lld::cuda
