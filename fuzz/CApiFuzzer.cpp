//===- CApiFuzzer.cpp - Fuzzes links through the C interface --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes links through the C interface (liblld-cuda.so). libFuzzer calls
/// LLVMFuzzerTestOneInput() with each input that it makes, in runs of
/// scripts/fuzz.sh; an input has up to eight files (FuzzInput.h), which are
/// added to a link one by one. Those that the link takes are linked. The image
/// must be the one that the linker makes of these inputs all at once; where one
/// of the two fails, both do. Every fourth link has a memory limit, and may end
/// for lack of memory.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "FuzzUtils.h"
#include "lld-cuda/Linker.h"
#include "lldcuda.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::fuzz;

namespace {
/// The bits of FuzzInput::options that this fuzzer uses.
enum : uint32_t {
  Relocatable = 1 << 0,
  Debug = 1 << 1,
  Kernels = 1 << 5,
  Exact = 1 << 8
};

struct Result {
  lldcuda_status status;
  std::string image;
  std::vector<LinkInput> taken;
};
} // namespace

static void readResults(lldcuda_link *link) {
  lldcuda_diagnostic d = lldcuda_diagnostic_init();
  for (size_t i = 0; lldcuda_link_diagnostic(link, i, &d) == LLDCUDA_OK; ++i) {
    require(d.text.data[d.text.size] == 0 && d.id.size);
    for (size_t note = 0; note != d.note_count; ++note)
      require(lldcuda_link_note(link, i, note).data);
  }
  lldcuda_kernel kernel = lldcuda_kernel_init();
  for (size_t i = 0; lldcuda_link_kernel(link, i, &kernel) == LLDCUDA_OK; ++i)
    require(kernel.name.size);
  require(lldcuda_link_log(link).data);
}

static Result linkOneByOne(const FuzzInput &input, uint64_t memoryLimit) {
  const lldcuda_string kernels = lldcuda_str("k");
  lldcuda_options options = lldcuda_options_init();
  options.arch = lldcuda_str(LinkArchitectures[input.architecture]);
  options.flags = (input.options & Relocatable ? LLDCUDA_FLAG_RELOCATABLE : 0) |
                  (input.options & Debug ? LLDCUDA_FLAG_DEBUG : 0) |
                  (input.options & Exact ? LLDCUDA_FLAG_EXACT : 0);
  if (input.options & Kernels) {
    options.kernels_used = &kernels;
    options.kernels_used_count = 1;
  }
  options.memory_limit = memoryLimit;
  Result result;
  lldcuda_link *link = nullptr;
  result.status = lldcuda_link_create(&options, &link);
  for (const LinkFile &file : input.files) {
    if (result.status != LLDCUDA_OK)
      break;
    lldcuda_input given = lldcuda_input_init();
    given.data = file.bytes.data();
    given.size = file.bytes.size();
    if (file.kind == LinkFileKind::SystemLibrary)
      given.flags = LLDCUDA_INPUT_IF_NEEDED;
    uint32_t number = 0;
    const lldcuda_status status = lldcuda_link_add(link, &given, &number);
    if (status == LLDCUDA_ERROR_OUT_OF_MEMORY)
      result.status = status;
    if (status != LLDCUDA_OK)
      continue;
    LinkInput taken =
        LinkInput::bytes(file.bytes, "<input " + std::to_string(number) + ">");
    taken.isTakenIfNeeded = given.flags;
    result.taken.push_back(std::move(taken));
  }
  if (result.status == LLDCUDA_OK)
    result.status = lldcuda_link_run(link);
  const lldcuda_bytes image = lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE);
  require(!!image.data == (result.status == LLDCUDA_OK));
  result.image.assign(static_cast<const char *>(image.data), image.size);
  readResults(link);
  lldcuda_link_destroy(link);
  return result;
}

static LinkResult linkAtOnce(const FuzzInput &input,
                             std::vector<LinkInput> taken) {
  LinkRequest request;
  request.options.arch = LinkArchitectures[input.architecture];
  request.options.relocatable = input.options & Relocatable;
  request.options.debug = input.options & Debug;
  request.options.exact = input.options & Exact;
  if (input.options & Kernels)
    request.options.kernelsUsed = {"k"};
  request.inputs = std::move(taken);
  return link(request);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const FuzzInput input =
      FuzzInput::unpack({reinterpret_cast<const char *>(bytes), size});
  if (StringRef(LinkArchitectures[input.architecture]).contains("compute"))
    return 0;
  const uint64_t hash = xxh3_64bits({bytes, size});
  // Few bytes can ask for an image of a gigabyte, of which there are three
  // here.
  constexpr uint64_t Enough = 256 << 20;
  Result result = linkOneByOne(input, hash % 4 ? Enough : hash >> 2 & 0xfffff);
  if (result.status == LLDCUDA_ERROR_OUT_OF_MEMORY)
    return 0;
  LinkResult expected = linkAtOnce(input, result.taken);
  require(expected.succeeded() == (result.status == LLDCUDA_OK));
  if (expected.succeeded())
    require(expected.getImage()->getBuffer() == result.image);
  return 0;
}
