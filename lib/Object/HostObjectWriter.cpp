//===- HostObjectWriter.cpp - The host's part of a device link ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes the object that the host's linker needs after a device link: it holds
/// the linked fatbin and registers it with the CUDA runtime when the program
/// starts [host-object]. DeviceLink.cpp calls writeHostObject() at the end of a
/// device link with --host-object, or writeLayerObject() if that was
/// relocatable. No compiler is needed: the machine code is host-stub.c's,
/// compiled once for each host (HostStubs.cpp). What differs from program to
/// program are tables: how many objects take part, their names, and where they
/// leave what they bring. HostObjectElf.cpp or HostObjectCoff.cpp writes the
/// file.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/HostObjectWriter.h"
#include "HostObjectParts.h"
#include "ObjectError.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lld::cuda {

namespace {

constexpr uint64_t PointerSize = 8;
constexpr uint32_t WrapperMagic = 0x466243b1;
constexpr uint64_t WrapperSize = 24;

class Builder {
public:
  Builder(const HostStub &stub, StringRef fatbin, ArrayRef<std::string> names)
      : parts(stub), names(names) {
    parts.image = fatbin;
  }
  const HostObjectParts &build();

private:
  uint32_t add(HostSymbol symbol);
  uint32_t addObject(StringRef name, HostSection section, uint64_t value,
                     uint64_t size);
  uint32_t addUndefined(const Twine &name);
  void addPointer(HostSection section, uint32_t symbol);
  void addData();
  void addModuleIds();
  void addPiece(unsigned number, HostSymbol function, uint32_t wrapper = 0);
  void addCode();

  HostObjectParts parts;
  ArrayRef<std::string> names;
  /// Index of each symbol that all functions share.
  std::array<uint32_t, size_t(StubSymbol::Label)> shared{};
};

uint32_t Builder::add(HostSymbol symbol) {
  parts.symbols.push_back(std::move(symbol));
  return parts.symbols.size() - 1;
}

uint32_t Builder::addObject(StringRef name, HostSection section, uint64_t value,
                            uint64_t size) {
  return add(
      {name.str(), HostSymbol::Object, /*isLocal=*/true, section, value, size});
}

uint32_t Builder::addUndefined(const Twine &name) {
  return add(
      {name.str(), HostSymbol::Label, /*isLocal=*/false, std::nullopt, 0, 0});
}

void Builder::addPointer(HostSection section, uint32_t symbol) {
  Bytes &bytes = parts.bytes(section);
  parts.relocations[size_t(section)].push_back(
      {bytes.size(), symbol, parts.stub.absolute, 0});
  append<uint64_t>(bytes, 0);
}

/// Adds the variables of host-stub.c: the state in which it counts the objects
/// that have registered, and the lists that it gives to the CUDA runtime.
void Builder::addData() {
  constexpr uint32_t LinkedVersion = 2;
  constexpr uint64_t StateSize = 48;
  const uint64_t listSize = (names.size() + 1) * PointerSize,
                 callbacksSize = names.size() * PointerSize;
  parts.bssSize = listSize + callbacksSize;
  const uint32_t image = addObject("__cudaLinkedBinaryImage",
                                   HostSection::Image, 0, parts.image.size());
  const uint32_t list =
      addObject("__cudaLinkedBinaryInputs", HostSection::Bss, 0, listSize);
  const uint32_t callbacks = addObject(
      "__cudaLinkedBinaryCallbacks", HostSection::Bss, listSize, callbacksSize);
  const uint32_t wrapper = addObject("__cudaLinkedBinaryWrapper",
                                     HostSection::Segment, 0, WrapperSize);
  shared[size_t(StubSymbol::State)] =
      addObject("__cudaLinkedBinaryState", HostSection::Data, 0, StateSize);
  Bytes &state = parts.bytes(HostSection::Data);
  append<uint64_t>(state, 0); // The handle.
  append<uint64_t>(state, 0); // How many have registered.
  append<uint64_t>(state, names.size());
  for (uint32_t symbol : {wrapper, list, callbacks})
    addPointer(HostSection::Data, symbol);
  Bytes &segment = parts.bytes(HostSection::Segment);
  append(segment, WrapperMagic);
  append(segment, LinkedVersion);
  for (uint32_t symbol : {image, list})
    addPointer(HostSection::Segment, symbol);
}

void Builder::addModuleIds() {
  Bytes &ids = parts.bytes(HostSection::ModuleIds);
  for (const std::string &name : names) {
    const std::string text = "def " + name;
    addObject("def_module_id_str" + name, HostSection::ModuleIds, ids.size(),
              text.size() + 1);
    ids.append(text.begin(), text.end());
    ids.push_back('\0');
  }
}

/// `function`: but for its place, which is the next.
void Builder::addPiece(unsigned number, HostSymbol function, uint32_t wrapper) {
  constexpr uint64_t CodeAlignment = 4;
  const StubPiece &piece = parts.stub.pieces[number];
  Bytes &text = parts.bytes(HostSection::Text);
  text.resize(alignTo(text.size(), CodeAlignment));
  const uint64_t begin = text.size();
  text.append(piece.code.begin(), piece.code.end());
  function.section = HostSection::Text;
  function.value = begin;
  function.size = piece.code.size();
  const uint32_t own = add(std::move(function));
  if (number == UnregisterPiece)
    shared[size_t(StubSymbol::Unregister)] = own;
  else if (number == RegisterOnePiece)
    shared[size_t(StubSymbol::RegisterOne)] = own;
  for (const StubRelocation &r : piece.relocations) {
    HostRelocation relocation = {begin + r.offset, 0, r.type, r.addend};
    if (r.symbol == StubSymbol::Wrapper) {
      relocation.symbol = wrapper;
    } else if (r.symbol == StubSymbol::Label) {
      relocation.symbol = add({"", HostSymbol::Label, /*isLocal=*/true,
                               HostSection::Text, begin + r.addend, 0});
      relocation.addend = 0;
    } else {
      relocation.symbol = shared[size_t(r.symbol)];
    }
    parts.relocations[size_t(HostSection::Text)].push_back(relocation);
  }
  parts.frames.push_back({own, piece.frame});
}

void Builder::addCode() {
  auto function = [](const Twine &name, bool isLocal) {
    return HostSymbol{
        name.str(), HostSymbol::Function, isLocal, std::nullopt, 0, 0};
  };
  addPiece(UnregisterPiece, function("__cudaUnregisterLinkedBinary", true));
  addPiece(RegisterOnePiece, function("__cudaRegisterLinkedBinary", true));
  for (const std::string &name : names)
    addPiece(RegisterObjectPiece,
             function("__cudaRegisterLinkedBinary" + name, false),
             addUndefined("__fatbinwrap" + name));
}

const HostObjectParts &Builder::build() {
  auto share = [&](StubSymbol symbol, StringRef name) {
    shared[size_t(symbol)] = addUndefined(name);
  };
  share(StubSymbol::AtExit, "atexit");
  share(StubSymbol::Register, "__cudaRegisterFatBinary");
  share(StubSymbol::RegisterEnd, "__cudaRegisterFatBinaryEnd");
  share(StubSymbol::UnregisterFatBinary, "__cudaUnregisterFatBinary");
  addData();
  addModuleIds();
  addCode();
  return parts;
}

Expected<const HostStub *> findStub(const Triple &host) {
  if (const HostStub *stub = getHostStub(host))
    return stub;
  return malformed("no object can be written for {0}", host.str());
}

} // namespace

Expected<SmallVector<char, 0>>
writeHostObject(const Triple &host, StringRef fatbin,
                ArrayRef<std::string> identifiers) {
  Expected<const HostStub *> stub = findStub(host);
  if (!stub)
    return stub.takeError();
  StringSet<> seen;
  for (const std::string &name : identifiers)
    if (!seen.insert(name).second)
      return malformed("{0} is linked twice", name);
  Builder builder(**stub, fatbin, identifiers);
  const HostObjectParts &parts = builder.build();
  if (host.isOSBinFormatCOFF())
    return writeCoffObject(parts);
  return writeElfObject(parts);
}

Expected<SmallVector<char, 0>> writeLayerObject(const Triple &host,
                                                StringRef fatbin,
                                                ArrayRef<std::string> moduleIds,
                                                ArrayRef<std::string> lists) {
  Expected<const HostStub *> stub = findStub(host);
  if (!stub)
    return stub.takeError();
  // Device linkers look for a wrapper, and not at what is in it.
  Bytes wrapper;
  append<uint32_t>(wrapper, WrapperMagic);
  append<uint32_t>(wrapper, 1);
  wrapper.resize(WrapperSize);
  std::string ids;
  for (const std::string &id : moduleIds)
    ids.append(id).push_back('\0');
  SmallVector<LayerPart> parts = {
      {".nvFatBinSegment", StringRef(wrapper.data(), wrapper.size())},
      {"__nv_relfatbin", fatbin}};
  if (!ids.empty())
    parts.push_back({"__nv_module_id", ids});
  for (auto [name, list] : zip(HostListSections, lists))
    parts.push_back({name, list.empty() ? StringRef("\0", 1) : list});
  parts.push_back({LayerSection, StringRef("\1", 1)});
  if (host.isOSBinFormatCOFF())
    return writeCoffLayer(**stub, parts);
  return writeElfLayer(**stub, parts);
}

} // namespace lld::cuda
