# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Global and constant variables."""

from .. import code
from ..draft import Draft
from ..model import COMMON, STATIC, Variable, WEAK
from .registry import feature


def share(draft: Draft, variable: Variable, home) -> None:
    """Lets code of the variable's module and of others use it."""
    users = [draft.kernel(home)] if variable.linkage == STATIC or draft.maybe(0.5) else []
    if variable.linkage != STATIC:
        users.append(draft.caller(module=draft.other(home)))
    for user in users:
        draft.add(user, code.use(variable, draft.rng))


@feature("variables")
def globals_(draft: Draft) -> None:
    """Global variables of all types and alignments, with initial values and without."""
    for _ in range(draft.rng.randrange(2, 8)):
        home = draft.module()
        variable = draft.new_variable(home, linkage=draft.rng.choice(["visible", "visible", "visible", STATIC, WEAK]))
        if draft.maybe(0.5):
            draft.initialise(variable)
        share(draft, variable, home)


@feature("variables")
def constants(draft: Draft) -> None:
    """Constant variables, of several modules, some of them large."""
    for _ in range(draft.rng.randrange(2, 7)):
        home = draft.module()
        count = draft.rng.choice([None, None, None, 200, 1000])
        variable = draft.new_variable(home, "const", linkage=draft.rng.choice(["visible", "visible", STATIC]), count=count)
        draft.initialise(variable)
        share(draft, variable, home)


@feature("variables")
def weak_variables(draft: Draft) -> None:
    """Weak variables with several definitions, and strong ones beside them."""
    for _ in range(draft.rng.randrange(1, 3)):
        name, space = draft.name("weak_variable"), draft.rng.choice(["global", "global", "const"])
        type_, count = draft.rng.choice(["u32", "u64", "b8"]), draft.rng.choice([1, 4, 12])
        strong = draft.maybe(0.3)
        for home in draft.rng.sample(draft.program.modules, draft.rng.randrange(1, len(draft.program.modules) + 1)):
            variable = Variable(name, space, type_, count, align=16, linkage="visible" if strong else WEAK)
            strong = False
            home.items.append(variable)
            if draft.maybe(0.7) or space == "const":
                draft.initialise(variable)
            draft.add(draft.kernel(home), code.use(variable, draft.rng))


@feature("variables")
def commons(draft: Draft) -> None:
    """Common variables, of different sizes in several modules."""
    name, type_ = draft.name("common"), draft.rng.choice(["u32", "u64", "b8"])
    count = draft.rng.choice([1, 4, 10])
    for home in draft.program.modules:
        if draft.maybe(0.3):
            count = draft.rng.choice([1, 4, 10])
        variable = Variable(name, "global", type_, count, align=draft.rng.choice([0, 8, 64]), linkage=COMMON)
        home.items.append(variable)
        draft.add(draft.kernel(home), code.load(variable, draft.rng))


@feature("variables")
def pointers(draft: Draft) -> None:
    """Initial values that are addresses of variables, of functions and of places in them."""
    for _ in range(draft.rng.randrange(1, 4)):
        home = draft.module()
        values, uses = [], []
        for _ in range(draft.rng.randrange(1, 4)):
            if draft.maybe(0.3):
                target = draft.new_function(draft.module())
                values.append(target.name)
            else:
                target = draft.new_variable(draft.module(), count=8, type="u32")
                values.append(draft.rng.choice([target.name, f"{target.name}+8", f"generic({target.name})",
                                                f"generic({target.name})+4"]))
            uses.append(target.name)
        space = draft.rng.choice(["global", "global", "const"])
        pointer = Variable(draft.name("pointer"), space, "u64", len(values), init=values, uses=tuple(uses))
        home.items.append(pointer)
        lines = [f"ld.{space}.u64 %d0, [{pointer.name}];", "cvt.u32.u64 %a0, %d0;", "add.u32 %v, %v, %a0;"]
        draft.add(draft.kernel(draft.other(home)), code.raw(*lines, uses=(pointer.name,)))


@feature("variables")
def address_bytes(draft: Draft) -> None:
    """Arrays of bytes that hold single bytes of addresses."""
    home = draft.module()
    target = draft.new_variable(home, count=4, type="u32")
    masks = [f"0xFF{'00' * i}({target.name})" for i in range(draft.rng.choice([4, 8]))]
    values = [draft.rng.randrange(256), *masks, draft.rng.randrange(256)]
    packed = Variable(draft.name("packed"), "global", "u8", len(values), align=8, init=values, uses=(target.name,))
    home.items.append(packed)
    draft.add(draft.kernel(draft.other(home)), code.load(packed, draft.rng))
    for module in draft.program.modules:
        draft.require(module, (7, 1))


@feature("variables")
def literals(draft: Draft) -> None:
    """Numbers too long for an instruction, in kernels and functions of several modules."""
    for _ in range(draft.rng.randrange(2, 6)):
        draft.add(draft.caller(), code.literals(draft.rng))
    if draft.maybe(0.5):
        function = draft.new_function(draft.module())
        function.body.append(code.literals(draft.rng))
        draft.add(draft.kernel(), code.call(function))


@feature("variables")
def switch(draft: Draft) -> None:
    """Jump tables, in kernels and functions."""
    for _ in range(draft.rng.randrange(1, 4)):
        owner = draft.caller()
        if draft.maybe(0.5):
            owner = draft.new_function(draft.module(), linkage=draft.rng.choice(["visible", STATIC]))
            draft.add(draft.kernel(draft.program.module_of(owner)), code.call(owner))
        draft.add(owner, code.switch(draft.rng.randrange(4, 12), draft.rng))


@feature("variables")
def managed(draft: Draft) -> None:
    """Managed variables."""
    for _ in range(draft.rng.randrange(1, 4)):
        home = draft.module()
        variable = draft.new_variable(home, attribute=".attribute(.managed)", linkage=draft.rng.choice(["visible", STATIC]))
        if draft.maybe(0.5):
            draft.initialise(variable)
        share(draft, variable, home)


def size_of_rest(draft: Draft, used: int) -> int:
    """How many bytes a last constant has, so that all together take about as much as a bank holds, or far more."""
    wanted = draft.rng.choice([0xFFC0, 0xFFF8, 0x10000, 0x10001, 0x10008, 0x10040, 0x10400, 0x18000, 0x1C000])
    return max(1, min(wanted - used, 0xF000))


@feature("variables")
def constants_over_limit(draft: Draft) -> None:
    """About 64 KiB of constants or more, of which code uses some; kernels are mostly pruned."""
    rng = draft.rng
    while len(draft.program.modules) < 3:
        draft.new_kernel(draft.new_module())
    constants, used = [], 0
    # nvlink up to 13.4 crashes on local ones that stay, and up to 13.3 on weak ones.
    linkage = rng.choice(["visible"] * 5 + [STATIC, WEAK])
    for _ in range(rng.randrange(3, 16)):
        size = rng.choice([rng.randrange(1, 9), rng.randrange(1, 80), 16, 400, rng.randrange(1, 4000), rng.randrange(1, 20000)])
        if used + size > 0x1F000:
            break
        home = draft.module()
        variable = draft.new_variable(home, "const", type="b8", count=size, align=rng.choice([1, 1, 2, 4, 8, 8, 16, 64]),
                                      linkage=linkage if draft.maybe(0.2) else "visible")
        if sum(v.size + 64 for v in home.variables if v.space == "const") > 0xFF00:
            home.items.remove(variable)
            continue
        variable.init = [rng.randrange(1, 256) for _ in range(min(size, 3))]
        used += size
        constants.append((home, variable))
    last = draft.new_module()
    rest = Variable(draft.name("rest"), "const", "b8", size_of_rest(draft, used), init=[7])
    last.items.append(rest)
    draft.add(draft.new_kernel(last), code.use(rest, rng))
    for home, variable in constants:
        for _ in range(rng.choice([0, 1, 1, 2])):
            caller = draft.caller(module=home if variable.linkage == STATIC else draft.module())
            draft.add(caller, code.use(variable, rng))
        if variable.linkage == "visible" and draft.maybe(0.15):
            pointer = Variable(draft.name("pointer"), rng.choice(["global", "const"]), "u64", 2, init=[variable.name, 5],
                               uses=(variable.name,))
            home.items.append(pointer)
            # If a constant with an address goes, nvlink crashes, or writes the address into another one.
            users = [k for m in draft.program.modules for k in m.kernels] if pointer.space == "const" else [draft.kernel()]
            for user in users:
                draft.add(user, code.use(pointer, rng))
    names = [k.name for m in draft.program.modules if m is not last for k in m.kernels]
    kept = rng.sample(names, rng.randrange(1, len(names) + 1))
    if rng.random() < 0.2:
        kept.append(last.kernels[0].name)
    if draft.maybe(0.8):
        draft.options.append(f"--kernels-used={','.join(kept)}")
        if draft.maybe(0.3):
            chosen = rng.sample([v.name for _, v in constants] + [rest.name], 1)
            draft.options.append(f"--variables-used={chosen[0]}")
    if draft.maybe(0.2):
        draft.options.append(rng.choice(["-g", "-v", "-v", "--preserve-relocs", "-r"]))
