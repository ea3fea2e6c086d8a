# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared and local memory."""

from .. import code
from ..draft import Draft
from ..model import Variable
from .registry import feature


def static_array(draft: Draft, owner, size: int) -> None:
    """A shared array in a function's body."""
    name = draft.name("array")
    align = draft.rng.choice([4, 4, 8, 16, 128])
    owner.locals.append(f".shared .align {align} .b8 {name}[{size}];")
    lines = [f"rem.u32 %a0, %v, {size // 4};", "shl.b32 %a0, %a0, 2;", f"mov.u32 %a1, {name};", "add.u32 %a1, %a1, %a0;",
             "st.shared.u32 [%a1], %v;", "bar.sync 0;", f"ld.shared.u32 %a2, [{name}+{4 * draft.rng.randrange(size // 4)}];",
             "xor.b32 %v, %v, %a2;"]
    owner.body.append(code.raw(*lines))


@feature("memory")
def shared_static(draft: Draft) -> None:
    """Shared arrays in the bodies of kernels and functions."""
    for _ in range(draft.rng.randrange(1, 5)):
        owner = draft.caller()
        if draft.maybe(0.5):
            owner = draft.new_function(draft.module(), linkage=draft.rng.choice(["visible", "weak"]))
            draft.add(draft.kernel(), code.call(owner))
        static_array(draft, owner, 4 * draft.rng.choice([1, 8, 25, 300]))


@feature("memory")
def shared_module(draft: Draft) -> None:
    """Shared variables of modules, used by kernels and functions of several modules."""
    for _ in range(draft.rng.randrange(1, 5)):
        home = draft.module()
        linkage = draft.rng.choice(["visible", "visible", "static", "weak"])
        variable = draft.new_variable(home, "shared", linkage=linkage)
        users = [draft.caller(module=home)]
        if linkage != "static":
            users.append(draft.caller(module=draft.other(home)))
        if draft.maybe(0.4):
            function = draft.new_function(home)
            draft.add(draft.kernel(), code.call(function))
            users.append(function)
        for user in users:
            if draft.maybe(0.8):
                draft.add(user, code.use(variable, draft.rng))


@feature("memory")
def shared_dynamic(draft: Draft) -> None:
    """Dynamic shared arrays, declared in several modules under one name or several."""
    names = [draft.name("dynamic") for _ in range(draft.rng.randrange(1, 3))]
    for home in draft.program.modules:
        for name in names:
            if draft.maybe(0.3):
                continue
            array = Variable(name, "shared", "b8", 1, align=draft.rng.choice([4, 8, 16, 1024]), is_unsized=True)
            home.items.append(array)
            statement = code.raw(f"st.shared.u32 [{name}+{4 * draft.rng.randrange(9)}], %v;", "bar.sync 0;",
                                 f"ld.shared.u32 %a0, [{name}+4];", "add.u32 %v, %v, %a0;", uses=(name,))
            owner = draft.caller(module=home)
            draft.add(owner, statement)
    if draft.maybe(0.5):
        static_array(draft, draft.kernel(), 48)


@feature("memory")
def local(draft: Draft) -> None:
    """Local arrays: stack frames of kernels and functions."""
    for _ in range(draft.rng.randrange(1, 4)):
        owner = draft.caller()
        if draft.maybe(0.6):
            owner = draft.new_function(draft.module())
            draft.add(draft.kernel(), code.call(owner))
        size, name = 8 * draft.rng.randrange(1, 40), draft.name("frame")
        owner.locals.append(f".local .align 8 .b8 {name}[{size}];")
        lines = [f"rem.u32 %a0, %v, {size // 4};", "mul.wide.u32 %d1, %a0, 4;", f"mov.u64 %d0, {name};",
                 "add.u64 %d2, %d0, %d1;", "st.local.u32 [%d2], %v;", f"ld.local.u32 %a1, [{name}+{size - 4}];",
                 "add.u32 %v, %v, %a1;"]
        if draft.maybe(0.4):
            lines += ["cvta.local.u64 %d3, %d2;", "ld.u32 %a2, [%d3];", "xor.b32 %v, %v, %a2;"]
        owner.body.append(code.raw(*lines))
