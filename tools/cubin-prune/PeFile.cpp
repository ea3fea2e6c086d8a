//===- PeFile.cpp - What goes with changed bytes of a PE file -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Keeps a Windows program or DLL valid when cubin-prune changes some of its
/// bytes. PruneFile.cpp calls addPeChanges() once it knows which bytes change.
/// The checksum is a sum of words of 16 bits with a special carry, so a new one
/// is the old sum less the old bytes and plus the new ones. The new checksum is
/// written only if the old one was right: many linkers write 0, and a wrong
/// checksum shows that nobody checks it. A signature is a table at the end of
/// the file; --remove-signature removes it together with its entry in the
/// header.
///
//===----------------------------------------------------------------------===//

#include "PeFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

namespace {

/// The fields of the optional header that are of interest, by their places in
/// the file.
struct PeHeader {
  uint64_t checksum = 0;
  uint64_t signatureEntry = 0; ///< 0: there is none.
  uint64_t signatureOffset = 0, signatureSize = 0;

  bool isSigned() const { return signatureSize != 0; }
};

bool isInside(uint64_t offset, uint64_t length, StringRef file) {
  return offset <= file.size() && length <= file.size() - offset;
}

Expected<PeHeader> readHeader(StringRef file) {
  constexpr size_t PlaceField = 60, SignatureSize = 4;
  constexpr size_t ChecksumField = 64, CountField = 92, CountFieldPlus = 108;
  constexpr size_t EntrySize = 8;
  constexpr uint16_t PE32Plus = COFF::PE32Header::PE32_PLUS;
  const auto damaged = [] {
    return createStringError("the PE file's header is damaged");
  };
  const uint64_t start = endian::read32le(file.data() + PlaceField) +
                         SignatureSize + COFF::Header16Size;
  if (!isInside(start, CountFieldPlus + sizeof(uint32_t), file))
    return damaged();
  const char *header = file.data() + start;
  PeHeader result;
  result.checksum = start + ChecksumField;
  const size_t countField =
      endian::read16le(header) == PE32Plus ? CountFieldPlus : CountField;
  if (endian::read32le(header + countField) <= COFF::CERTIFICATE_TABLE)
    return result;
  result.signatureEntry = start + countField + sizeof(uint32_t) +
                          COFF::CERTIFICATE_TABLE * EntrySize;
  if (!isInside(result.signatureEntry, EntrySize, file))
    return damaged();
  const char *entry = file.data() + result.signatureEntry;
  result.signatureOffset = endian::read32le(entry);
  result.signatureSize = endian::read32le(entry + sizeof(uint32_t));
  return result;
}

/// The sum of words of 16 bits.
uint64_t sumWords(StringRef bytes, uint64_t offset) {
  uint64_t sum = 0;
  if (offset % 2 && !bytes.empty()) {
    sum += uint64_t(uint8_t(bytes.front())) << 8;
    bytes = bytes.drop_front();
  }
  for (size_t i = 0; i + 1 < bytes.size(); i += 2)
    sum += endian::read16le(bytes.data() + i);
  if (bytes.size() % 2)
    sum += uint8_t(bytes.back());
  return sum;
}

/// The words' sum, with each carry added to it again, and the file's size.
uint32_t foldChecksum(uint64_t sum, uint64_t size) {
  while (sum > UINT16_MAX)
    sum = (sum & UINT16_MAX) + (sum >> 16);
  return sum + size;
}

Error removeSignature(StringRef file, const PeHeader &header,
                      std::vector<Replacement> &list) {
  constexpr size_t EntrySize = 8;
  const uint64_t end = header.signatureOffset + header.signatureSize;
  if (!list.empty() &&
      header.signatureOffset < list.back().offset + list.back().size)
    return createStringError("its signature is within its device code");
  if (end != file.size())
    return createStringError("its signature isn't at the end of the file");
  list.insert(list.begin(), {header.signatureEntry, EntrySize,
                             SmallVector<char, 0>(EntrySize, '\0')});
  list.push_back({header.signatureOffset, header.signatureSize, {}});
  return Error::success();
}

} // namespace

Error addPeChanges(StringRef file, bool removesSignature,
                   std::vector<Replacement> &list) {
  Expected<PeHeader> header = readHeader(file);
  if (!header)
    return header.takeError();
  if (header->isSigned()) {
    if (!removesSignature)
      return createStringError(
          "the file is signed (Authenticode), and pruning would make the "
          "signature invalid; --remove-signature removes the signature, so "
          "that the pruned file can be signed again");
    if (Error e = removeSignature(file, *header, list))
      return e;
  }
  if (!list.empty() && list.front().offset < header->checksum)
    return createStringError("its device code is within its headers");
  constexpr size_t FieldSize = sizeof(uint32_t);
  const StringRef field = file.substr(header->checksum, FieldSize);
  const uint32_t old = endian::read32le(field.data());
  uint64_t sum = sumWords(file, 0) - sumWords(field, header->checksum);
  if (!old || old != foldChecksum(sum, file.size()))
    return Error::success();
  uint64_t size = file.size();
  for (const Replacement &r : list) {
    sum -= sumWords(file.substr(r.offset, r.size), r.offset);
    sum += sumWords(StringRef(r.bytes.data(), r.bytes.size()), r.offset);
    size += r.bytes.size() + r.zeros - r.size;
  }
  SmallVector<char, 0> made(FieldSize, '\0');
  endian::write32le(made.data(), foldChecksum(sum, size));
  list.insert(list.begin(), {header->checksum, FieldSize, std::move(made)});
  return Error::success();
}

} // namespace lld::cuda
