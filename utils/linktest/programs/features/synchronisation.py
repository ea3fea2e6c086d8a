# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers, fences, clusters, atomics."""

from .. import code
from ..draft import Draft
from ..model import Variable
from .registry import feature


def spread(draft: Draft, statements: list, probability: float = 0.4) -> None:
    """Puts statements into kernels without calls, kernels with calls, and device functions."""
    for statement in statements:
        if draft.maybe(probability):
            function = draft.new_function(draft.module())
            function.body.append(statement)
            draft.add(draft.kernel(), code.call(function))
        else:
            draft.add(draft.caller(), statement)


@feature("synchronisation")
def barriers(draft: Draft) -> None:
    """Barriers by number and by register, with counts and reductions."""
    ways = [
        code.raw("bar.sync 0;"), code.raw(f"bar.sync {draft.rng.randrange(1, 16)};"),
        code.raw(f"bar.sync {draft.rng.randrange(1, 16)}, 64;"), code.raw("barrier.cta.arrive 3, 64;"),
        code.raw("and.b32 %a0, %v, 7;", "bar.sync %a0, 64;"),
        code.raw("setp.gt.u32 %p0, %v, 9;", "bar.red.popc.u32 %a0, 0, %p0;", "add.u32 %v, %v, %a0;"),
        code.raw("setp.gt.u32 %p0, %v, 9;", "bar.red.and.pred %p1, 2, %p0;", "selp.u32 %a0, 3, 4, %p1;", "add.u32 %v, %v, %a0;"),
        code.raw("barrier.cta.sync 5;"),
    ]
    spread(draft, draft.rng.sample(ways, draft.rng.randrange(1, 5)))


@feature("synchronisation")
def cooperative(draft: Draft) -> None:
    """Instructions that the threads of a warp execute together."""
    ways = [
        code.raw("setp.gt.u32 %p0, %v, 7;", "vote.sync.ballot.b32 %a0, %p0, -1;", "add.u32 %v, %v, %a0;"),
        code.raw("shfl.sync.bfly.b32 %a0|%p0, %v, 16, 31, -1;", "add.u32 %v, %v, %a0;"),
        code.raw("activemask.b32 %a0;", "shfl.sync.idx.b32 %a1|%p0, %v, 3, 31, %a0;", "add.u32 %v, %v, %a1;"),
        code.raw("and.b32 %a0, %v, 3;", "match.any.sync.b32 %a1, %a0, -1;", "add.u32 %v, %v, %a1;"),
        code.raw("bar.warp.sync -1;"), code.raw("activemask.b32 %a0;", "bar.warp.sync %a0;"),
    ]
    if draft.arch.number >= 80:
        ways.append(code.raw("redux.sync.add.u32 %a0, %v, -1;", "add.u32 %v, %v, %a0;"))
    if draft.arch.number >= 90:
        ways.append(code.raw("elect.sync %a0|%p0, -1;", "selp.u32 %a1, 3, 4, %p0;", "add.u32 %v, %v, %a1;"))
    spread(draft, draft.rng.sample(ways, draft.rng.randrange(1, 5)))


@feature("synchronisation")
def fences(draft: Draft) -> None:
    """Fences of all scopes between stores."""
    def between(fence: str):
        return code.raw("st.global.u32 [%out], %v;", f"{fence};", "st.global.u32 [%out+4], %v;")
    words = ["membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys", "fence.acq_rel.cta",
             "fence.acq_rel.gpu", "fence.acq_rel.sys", "fence.proxy.alias"]
    if draft.arch.has_clusters:
        words += ["fence.sc.cluster", "fence.acq_rel.cluster", "fence.proxy.async", "fence.proxy.async.global",
                  "fence.mbarrier_init.release.cluster"]
    for word in draft.rng.sample(words, draft.rng.randrange(1, 5)):
        if draft.maybe(0.3):
            function = draft.new_function(draft.module())
            function.body.append(code.raw(f"{word};"))
            draft.add(draft.kernel(), code.call(function))
        else:
            draft.add(draft.kernel(), between(word))


@feature("synchronisation")
def release(draft: Draft) -> None:
    """Stores that release and loads that acquire."""
    word = draft.new_variable(draft.module(), type="u32", count=4)
    ways = []
    for scope in ("cta", "gpu", "sys") + (("cluster",) if draft.arch.has_clusters else ()):
        ways += [code.raw(f"st.release.{scope}.global.u32 [{word.name}], %v;", uses=(word.name,)),
                 code.raw(f"ld.acquire.{scope}.global.u32 %a0, [{word.name}];", "add.u32 %v, %v, %a0;", uses=(word.name,)),
                 code.raw(f"red.release.{scope}.global.add.u32 [{word.name}+8], %v;", uses=(word.name,)),
                 code.raw(f"atom.acq_rel.{scope}.global.exch.b32 %a0, [{word.name}+4], %v;", "add.u32 %v, %v, %a0;",
                          uses=(word.name,))]
    spread(draft, draft.rng.sample(ways, draft.rng.randrange(1, 5)))


@feature("synchronisation", available=lambda arch: arch.has_clusters)
def cluster_sync(draft: Draft) -> None:
    """Barriers of clusters and memory of other blocks."""
    ways = [
        code.raw("barrier.cluster.arrive;", "barrier.cluster.wait;"),
        code.raw("barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;"),
        code.raw("barrier.cluster.arrive.relaxed;", "barrier.cluster.wait;"),
        code.raw("mov.u32 %a0, %cluster_ctarank;", "add.u32 %v, %v, %a0;"),
        code.raw("mov.u32 %a0, %cluster_nctarank;", "add.u32 %v, %v, %a0;"),
        code.raw(".shared .align 4 .b32 slot;", "mov.u32 %a0, slot;", "mapa.shared::cluster.u32 %a1, %a0, 1;",
                 "st.shared::cluster.u32 [%a1], %v;"),
    ]
    spread(draft, draft.rng.sample(ways, draft.rng.randrange(1, 4)))


@feature("synchronisation", available=lambda arch: arch.number >= 80)
def mbarrier(draft: Draft) -> None:
    """Barrier objects in shared memory; with transactions from sm_90 on."""
    name = draft.name("object")
    ways = [[f".shared .align 8 .b64 {name};", f"mbarrier.init.shared.b64 [{name}], 32;",
             f"mbarrier.arrive.shared.b64 %d0, [{name}];", f"mbarrier.test_wait.shared.b64 %p0, [{name}], %d0;",
             "selp.u32 %a0, 1, 2, %p0;", "add.u32 %v, %v, %a0;", f"mbarrier.inval.shared.b64 [{name}];"],
            [f".shared .align 16 .b8 {name}[16];", f"cp.async.ca.shared.global [{name}], [%out], 16;",
             "cp.async.commit_group;", "cp.async.wait_group 0;", f"ld.shared.u32 %a0, [{name}+4];", "add.u32 %v, %v, %a0;"]]
    if draft.arch.number >= 90:
        ways.append([f".shared .align 8 .b64 {name};", f".shared .align 128 .b8 {name}_data[256];", f"mov.u32 %a0, {name};",
                     f"mov.u32 %a1, {name}_data;", "mbarrier.init.shared.b64 [%a0], 1;",
                     "mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%a0], 256;",
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%a1], [%out], 256, [%a0];",
                     "again:", "mbarrier.try_wait.shared.b64 %p0, [%a0], %d0;", "@!%p0 bra again;",
                     f"ld.shared.u32 %a2, [{name}_data+8];", "add.u32 %v, %v, %a2;"])
    for lines in draft.rng.sample(ways, draft.rng.randrange(1, len(ways) + 1)):
        draft.add(draft.kernel(), code.raw(*lines))


@feature("synchronisation", available=lambda arch: arch.has_tensor_memory)
def tensor_memory(draft: Draft) -> None:
    """tcgen05: tensor memory is allocated through reserved shared memory."""
    for _ in range(draft.rng.randrange(1, 3)):
        columns = draft.rng.choice([32, 64, 128])
        name = draft.name("columns")
        lines = [f".shared .align 4 .b32 {name};",
                 f"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{name}], {columns};", f"ld.shared.b32 %a0, [{name}];",
                 "add.u32 %v, %v, %a0;", f"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a0, {columns};"]
        if draft.maybe(0.5):
            lines.append("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;")
        if draft.maybe(0.3):
            lines.insert(2, "tcgen05.fence::before_thread_sync;")
        spread(draft, [code.raw(*lines)], 0.3)


@feature("synchronisation")
def atomics(draft: Draft) -> None:
    """Atomic operations on global and shared memory."""
    counter = draft.new_variable(draft.module(), type="u64", count=4)
    slot = Variable(draft.name("slot"), "shared", "u64", 2)
    draft.module().items.append(slot)
    ways = []
    for operation in ("add.u32", "max.u32", "exch.b32", "cas.b32", "or.b32", "inc.u32", "add.f32"):
        for space, place in (("global", counter.name), ("shared", slot.name)):
            value = "%f0" if operation == "add.f32" else "%v"
            result = "%f1" if operation == "add.f32" else "%a0"
            third = ", 7" if operation == "cas.b32" else ""
            lines = ["cvt.rn.f32.u32 %f0, %v;", "mov.u32 %a0, 0;", f"atom.{space}.{operation} {result}, [{place}], {value}{third};"]
            if operation == "add.f32":
                lines.append("cvt.rzi.u32.f32 %a0, %f1;")
            ways.append(code.raw(*lines, "add.u32 %v, %v, %a0;", uses=(place,)))
    ways.append(code.raw(f"red.global.add.u32 [{counter.name}+8], %v;", uses=(counter.name,)))
    ways.append(code.raw("cvt.u64.u32 %d0, %v;", f"atom.global.add.u64 %d1, [{counter.name}], %d0;", "cvt.u32.u64 %v, %d1;",
                         uses=(counter.name,)))
    spread(draft, draft.rng.sample(ways, draft.rng.randrange(1, 6)))
