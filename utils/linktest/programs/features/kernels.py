# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Properties of kernels."""

from .. import code
from ..draft import Draft
from ..model import Function, WEAK
from .registry import feature


@feature("kernels")
def loops(draft: Draft) -> None:
    """Kernels without calls but with branches and loops, and memory accesses in them."""
    for _ in range(draft.rng.randrange(1, 4)):
        kernel = draft.new_kernel(draft.module())
        variable = draft.new_variable(draft.program.module_of(kernel), type="u32", count=33)
        for _ in range(draft.rng.randrange(1, 4)):
            inner = draft.rng.choice([code.arithmetic(draft.rng), code.use(variable, draft.rng), code.literals(draft.rng),
                                      code.raw("ld.global.u32 %a0, [%out+8];", "add.u32 %v, %v, %a0;"),
                                      code.raw("bar.sync 0;")])
            kernel.body.append(code.loop(inner) if draft.maybe(0.7) else code.branch(inner, draft.rng))


@feature("kernels")
def early_exit(draft: Draft) -> None:
    """Kernels that some threads leave early."""
    for _ in range(draft.rng.randrange(1, 3)):
        draft.add(draft.kernel(), code.raw("setp.gt.u32 %p0, %v, 1000;", f"@%p0 {draft.rng.choice(['exit', 'ret', 'trap'])};"))


@feature("kernels")
def weak_entries(draft: Draft) -> None:
    """Weak kernels with several definitions, as templates have."""
    for _ in range(draft.rng.randrange(1, 3)):
        name = draft.name("weak_kernel")
        helper = draft.new_function(draft.module()) if draft.maybe(0.5) else None
        for home in draft.rng.sample(draft.program.modules, draft.rng.randrange(1, len(draft.program.modules) + 1)):
            kernel = draft.new_kernel(home, name, WEAK)
            if helper and draft.maybe(0.7):
                draft.add(kernel, code.call(helper))
            if draft.maybe(0.3):
                draft.add(kernel, code.literals(draft.rng))


@feature("kernels")
def bounds(draft: Draft) -> None:
    """Launch bounds and register limits."""
    choices = [[".maxntid 256, 1, 1", ".minnctapersm 2"], [".reqntid 8, 4, 2"], [".maxntid 128"], [".maxnreg 64"],
               [".maxntid 1024"], [".minnctapersm 4", ".maxntid 64, 2, 1"]]
    for kernel in draft.rng.sample(draft.program.kernels, min(2, len(draft.program.kernels))):
        if kernel.linkage != WEAK:
            kernel.directives += draft.rng.choice(choices)
    if draft.maybe(0.5):
        function = draft.new_function(draft.module())
        for kernel in draft.program.kernels:
            draft.add(kernel, code.call(function))


@feature("kernels", available=lambda arch: arch.has_clusters)
def cluster(draft: Draft) -> None:
    """Dimensions of clusters."""
    choices = [[".reqnctapercluster 2, 1, 1"], [".explicitcluster", ".reqnctapercluster 4"], [".maxclusterrank 4"],
               [".explicitcluster"]]
    for kernel in draft.rng.sample(draft.program.kernels, min(2, len(draft.program.kernels))):
        if kernel.linkage != WEAK:
            kernel.directives += draft.rng.choice(choices)


@feature("kernels")
def params(draft: Draft) -> None:
    """Kernels with parameters of all sizes, up to 4 KB."""
    for _ in range(draft.rng.randrange(1, 3)):
        kernel = draft.new_kernel(draft.module())
        for number in range(draft.rng.randrange(1, 6)):
            name = f"extra{number}"
            kind = draft.rng.randrange(4)
            if kind == 0:
                kernel.parameters.append(f".param .u64 .ptr .global .align 16 {name}")
                kernel.body.append(code.raw(f"ld.param.u64 %d0, [{name}];", "ld.global.u32 %a0, [%d0];", "add.u32 %v, %v, %a0;"))
            elif kind == 1:
                size = draft.rng.choice([4, 12, 100, 1000])
                kernel.parameters.append(f".param .align 4 .b8 {name}[{size}]")
                kernel.body.append(code.raw(f"ld.param.u32 %a0, [{name}+{size - 4}];", "add.u32 %v, %v, %a0;"))
            else:
                type_ = draft.rng.choice(["u8", "u16", "u32", "f64"])
                kernel.parameters.append(f".param .{type_} {name}")


@feature("kernels")
def no_kernel(draft: Draft) -> None:
    """Programs, or modules, without kernels."""
    modules = draft.program.modules if draft.maybe(0.4) else [draft.module()]
    for module in modules:
        kernels = module.kernels
        module.items = [item for item in module.items if not (isinstance(item, Function) and item.is_kernel)]
        if draft.maybe(0.7) or not kernels:
            draft.new_function(module)
