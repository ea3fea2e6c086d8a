//===- LayoutTexturesTest.cpp - Slots of textures and samplers ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations are the rules of docs/reference/memory.md whose anchors stand
/// above the tests.
///
//===----------------------------------------------------------------------===//

#include "BuiltLink.h"
#include "lld-cuda/BinaryFormat/Relocations.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using lld::cuda::test::BuiltLink;

namespace {

struct TextureLink : BuiltLink {
  using BuiltLink::BuiltLink;

  Variable &reference(llvm::StringRef name, uint8_t type) {
    Variable &v = variable(name, 0, 0, 0, type);
    (type == STT_CUDA_TEXTURE   ? ctx.program.textures
     : type == STT_CUDA_SAMPLER ? ctx.program.samplers
                                : ctx.program.surfaces)
        .push_back(&v);
    return v;
  }
  Variable &texture(llvm::StringRef name) {
    return reference(name, STT_CUDA_TEXTURE);
  }
  Variable &sampler(llvm::StringRef name) {
    return reference(name, STT_CUDA_SAMPLER);
  }
  Variable &surface(llvm::StringRef name) {
    return reference(name, STT_CUDA_SURFACE);
  }
  /// A kernel with parameters up to `end` in its bank.
  Function &kernelWith(llvm::StringRef name, uint64_t end) {
    Function &k = kernel(name);
    if (ctx.inputs.isMercury()) {
      // The finalizer's, unless slots make it one of the merge.
      k.constant0 = &ctx.program.sectionStorage.emplace_back(
          SectionKind::ParameterBank,
          ctx.inputs.memory.strings.save(".nv.constant0." + name));
      k.constant0->owner = &k;
    } else {
      k.constant0 = section(SectionKind::Parameters, ".nv.constant0.", k);
      k.textureSlots =
          section(SectionKind::TextureSlots, ".rel.nv.constant0.", k);
      k.textureSlots->target = k.constant0;
    }
    k.constant0->size = end;
    return k;
  }
  void layOut() {
    ctx.program.callGraph.build(ctx.program);
    layoutTextures(ctx.inputs, ctx.program, ctx.layout);
  }
  /// The symbols of a kernel's slots, as the table lists them.
  static std::vector<llvm::StringRef> namesOf(const Function &kernel) {
    std::vector<llvm::StringRef> names;
    for (const KeptRelocation &r : kernel.textureSlots->kept)
      names.push_back(r.symbol->name);
    return names;
  }
};

// [texture-slots]: nvlink 13.0.88 gives a kernel that reads t1, s1, t2, s2, f1
// and f2, in this order, these slots.
TEST(LayoutTextures, SlotsAreInNvlinksOrder) {
  TextureLink link;
  Function &k = link.kernelWith("k", 0x168);
  k.usesTextures = k.usesSamplers = true;
  for (const char *number : {"1", "2"}) {
    link.texture(
        link.ctx.inputs.memory.strings.save(llvm::Twine("t") + number));
    link.sampler(
        link.ctx.inputs.memory.strings.save(llvm::Twine("s") + number));
    link.surface(
        link.ctx.inputs.memory.strings.save(llvm::Twine("f") + number));
  }
  link.layOut();
  EXPECT_EQ(link.namesOf(k),
            (std::vector<llvm::StringRef>{"s1", "f1", "t1", "s2", "f2", "t2"}));
  constexpr uint32_t Texture = 6, Sampler = 7, Surface = 52;
  uint64_t offset = 0x17c;
  const uint32_t types[] = {Sampler, Surface, Texture,
                            Sampler, Surface, Texture};
  for (const auto [i, r] : llvm::enumerate(k.textureSlots->kept)) {
    EXPECT_EQ(r.offset, offset);
    EXPECT_EQ(r.type, types[i]);
    offset -= 4;
  }
  EXPECT_EQ(k.constant0->size, 0x180u);
}

// [texture-slot-base]
TEST(LayoutTextures, SlotsFollowTheLargestParametersOfAllKernels) {
  struct {
    const char *architecture;
    uint64_t end, base;
  } const cases[] = {{"sm_80", 0x171, 0x174}, {"sm_100", 0x3a4, 0x3b0}};
  for (const auto &c : cases) {
    TextureLink link(c.architecture);
    Function &k = link.kernelWith("k", 0x168);
    k.usesTextures = true;
    link.kernelWith("without", c.end);
    Variable &t = link.texture("t");
    link.layOut();
    EXPECT_EQ(t.textureSlot, c.base);
    EXPECT_EQ(t.textureSlotOffset, 0u);
    EXPECT_EQ(k.constant0->size, c.base + 4);
  }
}

// [texture-slots]
TEST(LayoutTextures, OnlyKernelsThatReachAReferenceHaveSlots) {
  TextureLink link;
  Function &reaches = link.kernelWith("reaches", 0x160),
           &other = link.kernelWith("other", 0x160);
  Function &f = link.function("f");
  f.usesTextures = true;
  link.call(reaches, f);
  link.texture("t");
  link.texture("unused");
  link.layOut();
  EXPECT_TRUE(reaches.reachesTextures);
  EXPECT_EQ(reaches.textureSlots->kept.size(), 2u) << "used or not";
  EXPECT_FALSE(other.reachesTextures);
  EXPECT_EQ(other.textureSlots->kept.size(), 0u);
  EXPECT_EQ(other.constant0->size, 0x160u);
}

// [texture-slots-of-single-kernel]
TEST(LayoutTextures, TheOnlyKernelAnswersForDeadCode) {
  TextureLink link;
  Function &k = link.kernelWith("k", 0x160);
  link.function("uncalled").usesTextures = true;
  link.texture("t");
  link.layOut();
  EXPECT_TRUE(k.reachesTextures);
}

// [texture-slots]: txq reads a texture without a sampler.
TEST(LayoutTextures, KernelsWithoutSamplersHaveNoEntriesForThem) {
  TextureLink link;
  Function &queries = link.kernelWith("queries", 0x160),
           &samples = link.kernelWith("samples", 0x160);
  queries.usesTextures = samples.usesTextures = samples.usesSamplers = true;
  link.texture("t");
  Variable &s = link.sampler("s");
  link.layOut();
  EXPECT_EQ(link.namesOf(queries), std::vector<llvm::StringRef>{"t"});
  EXPECT_EQ(samples.textureSlots->kept.size(), 2u);
  EXPECT_EQ(queries.constant0->size, 0x168u) << "but there is room for them";
  EXPECT_GE(s.textureSlot, 0x160u);
}

// [texture-slots]
TEST(LayoutTextures, Limits) {
  struct {
    uint8_t type;
    unsigned limit;
  } const cases[] = {
      {STT_CUDA_TEXTURE, 256}, {STT_CUDA_SAMPLER, 32}, {STT_CUDA_SURFACE, 32}};
  for (const auto &c : cases)
    for (unsigned more : {0, 1}) {
      TextureLink link;
      link.kernelWith("k", 0x160).usesTextures = true;
      for (unsigned i = 0; i != c.limit + more; ++i)
        link.reference("r", c.type);
      link.layOut();
      EXPECT_EQ(link.ids(), more ? std::vector{DiagId::TextureLimit}
                                 : std::vector<DiagId>());
    }
}

// [texture-slots-without-kernel]
TEST(LayoutTextures, WithoutAKernelSlotsFollowTheDriversHeader) {
  TextureLink link("sm_100");
  link.function("f").usesTextures = true;
  Variable &t = link.texture("t");
  link.layOut();
  EXPECT_EQ(t.textureSlot, 0x380u);
}

// [texture-slots-in-code]: the Mercury view has the slots alone, from 0 on.
TEST(LayoutTextures, MercurySlotsAreInASectionOfTheirOwn) {
  TextureLink link("sm_100");
  Function &k = link.kernelWith("k", 0x388);
  k.usesTextures = true;
  link.texture("a");
  link.texture("b");
  link.layOut();
  EXPECT_EQ(k.constant0->kind, SectionKind::ImageHeaders);
  ASSERT_TRUE(k.constant0->mercury);
  EXPECT_EQ(k.constant0->mercury->size, 8u);
  ASSERT_TRUE(k.textureSlots && k.textureSlots->mercury);
  const auto &native = k.textureSlots->kept,
             &mercury = k.textureSlots->mercury->kept;
  ASSERT_EQ(native.size(), 2u);
  ASSERT_EQ(mercury.size(), 2u);
  EXPECT_EQ(native[0].offset, 0x394u);
  EXPECT_EQ(mercury[0].offset, 4u);
  EXPECT_EQ(native[1].offset, 0x390u);
  EXPECT_EQ(mercury[1].offset, 0u);
}

// [relocatable-resolves-references]: the place of the first slot, or nothing.
TEST(LayoutTextures, RelocatableOutputHasNoSlots) {
  for (const char *architecture : {"sm_80", "sm_100"}) {
    TextureLink link(architecture);
    link.makeRelocatable(/*exact=*/true);
    Function &k = link.kernelWith("k", 0x390);
    k.usesTextures = true;
    Variable &t = link.texture("t");
    link.layOut();
    EXPECT_EQ(t.textureSlot, link.ctx.inputs.isMercury() ? 0x390u : 0u);
    EXPECT_EQ(k.constant0->size, 0x390u);
    EXPECT_FALSE(k.reachesTextures);
  }
}

// [kernels-used]: one that was left out counts for what it uses itself.
TEST(LayoutTextures, KernelsThatAreLeftOut) {
  TextureLink link;
  Function &direct = link.kernelWith("direct", 0x160),
           &caller = link.kernelWith("caller", 0x160);
  direct.isCounted = caller.isCounted = false;
  link.kernelWith("counted", 0x160);
  Function &f = link.function("f");
  f.usesTextures = direct.usesTextures = true;
  link.call(caller, f);
  link.texture("t");
  link.layOut();
  EXPECT_TRUE(direct.reachesTextures);
  EXPECT_FALSE(caller.reachesTextures);
}

} // namespace
