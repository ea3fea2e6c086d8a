# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that call each other. Calls go from older functions to newer ones, but for recursion()."""

from .. import code
from ..draft import Draft
from ..model import Alias, Module, Signature, STATIC, Statement, Variable, WEAK
from .registry import feature


@feature("functions")
def calls(draft: Draft) -> None:
    """Calls of functions, of other modules mostly, with all kinds of parameters."""
    for _ in range(draft.rng.randrange(1, 5)):
        home = draft.module()
        caller = draft.caller(module=home)
        function = draft.new_function(draft.other(home) if draft.maybe(0.7) else home)
        draft.add(caller, code.call(function))
        if draft.maybe(0.4):
            draft.add(draft.kernel(), code.call(function))


@feature("functions")
def chains(draft: Draft) -> None:
    """Chains of calls through several modules; the last function needs the most registers or stack."""
    for _ in range(draft.rng.randrange(1, 3)):
        caller, home = draft.kernel(), draft.module()
        for _ in range(draft.rng.randrange(2, 7)):
            home = draft.other(home)
            function = draft.new_function(home)
            draft.add(caller, code.call(function))
            caller = function
        caller.body.append(wide_body(draft.rng.randrange(8, 40)))
        if draft.maybe(0.5):
            caller.locals.append(".local .align 8 .b8 frame[96];")
            caller.body.append(code.raw("mov.u64 %d0, frame;", "and.b32 %a0, %v, 31;", "cvt.u64.u32 %d1, %a0;",
                                        "add.u64 %d0, %d0, %d1;", "st.local.u8 [%d0], %v;", "ld.local.u8 %a0, [frame+5];",
                                        "add.u32 %v, %v, %a0;"))


def wide_body(count: int) -> Statement:
    """Code with many values that live at once."""
    lines = [f".reg .b32 %w<{count}>;"]
    lines += [f"mov.u32 %w{i}, %clock;" for i in range(count)]
    lines += [f"mad.lo.u32 %v, %w{i}, %w{count - 1 - i}, %v;" for i in range(count)]
    return Statement(lines)


@feature("functions")
def recursion(draft: Draft) -> None:
    """Functions that call themselves, and circles through several modules."""
    size = draft.rng.choice([1, 1, 2, 3])
    home, circle = draft.module(), []
    signature = draft.rng.choice([Signature(), Signature("b64", ("b64",))])
    for _ in range(size):
        circle.append(draft.new_function(home, signature=signature))
        home = draft.other(home)
    for number, function in enumerate(circle):
        function.body.append(code.call_if(circle[(number + 1) % size], 3, depth=2))
    draft.add(draft.kernel(), code.call(circle[0]))
    if draft.maybe(0.4):
        tail = draft.new_function(home)
        circle[-1].body.append(code.call(tail))


@feature("functions")
def wide_graph(draft: Draft) -> None:
    """Many small functions in layers, each of which calls several of the next layer."""
    layers = []
    for _ in range(draft.rng.randrange(2, 5)):
        layers.append([draft.new_function(draft.module(), statements=1) for _ in range(draft.rng.randrange(2, 7))])
    for function in layers[0]:
        draft.add(draft.kernel(), code.call(function))
    for upper, lower in zip(layers, layers[1:]):
        for function in upper:
            for callee in draft.rng.sample(lower, draft.rng.randrange(1, len(lower) + 1)):
                draft.add(function, code.call(callee))


@feature("functions")
def indirect(draft: Draft) -> None:
    """Calls through addresses: taken in place, from tables, of several prototypes."""
    for _ in range(draft.rng.randrange(1, 4)):
        signature = draft.rng.choice([Signature(), Signature("b32", ("b32", "b32")), Signature("", ("b64",)),
                                      Signature("f32", ("f32",)), Signature("b32", ("b8[16]",))])
        home = draft.module()
        targets = [draft.new_function(draft.module(), signature=signature, linkage=draft.rng.choice(["visible", WEAK]))
                   for _ in range(draft.rng.randrange(1, 4))]
        caller = draft.caller(name=targets[0].name, module=home)
        if caller in targets or not caller.is_kernel:
            caller = draft.kernel(home)
        if draft.maybe(0.5):
            draft.add(caller, code.call_taken(draft.rng.choice(targets)))
            continue
        space = draft.rng.choice(["global", "const"])
        table = Variable(draft.name("table"), space, "u64", len(targets), init=[t.name for t in targets],
                         uses=tuple(t.name for t in targets))
        draft.other(home).items.append(table)
        load = [f"rem.u32 %a2, %v, {len(targets)};", "mul.wide.u32 %d1, %a2, 8;", f"mov.u64 %d0, {table.name};",
                "add.u64 %d0, %d0, %d1;", f"ld.{space}.u64 %d5, [%d0];"]
        draft.add(caller, code.call_pointer(load, (table.name,), signature))


@feature("functions")
def weak(draft: Draft) -> None:
    """Weak functions with several definitions, equal ones and others, and strong ones beside them."""
    for _ in range(draft.rng.randrange(1, 4)):
        name, signature = draft.name("weak"), draft.rng.choice([Signature(), Signature("b64", ("b64", "b32"))])
        homes = draft.rng.sample(draft.program.modules, draft.rng.randrange(1, len(draft.program.modules) + 1))
        strong = draft.rng.choice(homes) if draft.maybe(0.3) else None
        first = None
        for home in homes:
            function = draft.new_function(home, name, "visible" if home is strong else WEAK, signature)
            if first is not None and strong is None and draft.maybe(0.5):
                function.body = list(first.body)
            first = first or function
            if draft.maybe(0.4):
                function.body.append(wide_body(draft.rng.randrange(4, 30)))
            if draft.maybe(0.8):
                draft.add(draft.kernel(home), code.call(function))


@feature("functions")
def alias(draft: Draft) -> None:
    """Aliases of functions, called from here and elsewhere; some of them weak."""
    for _ in range(draft.rng.randrange(1, 3)):
        home = draft.module()
        target = draft.new_function(home, signature=Signature(), linkage="visible")
        name = Alias(draft.name("alias"), target.name, draft.rng.choice(["visible", "visible", WEAK]))
        home.items.append(name)
        users = [home] if draft.maybe(0.4) else [draft.other(home)]
        if draft.maybe(0.3):
            users = draft.program.modules
        for user in users:
            callee = name if draft.maybe(0.8) else target
            draft.add(draft.kernel(user), code.call(callee, target.signature))


@feature("functions")
def statics(draft: Draft) -> None:
    """Functions and variables of one name that are local to their modules."""
    name, signature = draft.name("local"), Signature()
    variable = draft.name("private")
    for module in draft.program.modules:
        function = draft.new_function(module, name, STATIC, signature)
        function.body.insert(0, code.raw("mov.u32 %a0, %smid;", "add.u32 %v, %v, %a0;"))
        draft.add(draft.kernel(module), code.call_taken(function) if draft.maybe(0.3) else code.call(function))
        own = draft.new_variable(module, draft.rng.choice(["global", "const"]), variable, STATIC)
        if own.space == "const":
            draft.initialise(own)
        function.body.append(code.use(own, draft.rng))
        if own.space == "global" and draft.maybe(0.5):
            draft.add(draft.kernel(module), code.store(own, draft.rng))
        if draft.maybe(0.4):
            helper = draft.new_function(module, f"{name}_helper", STATIC, signature)
            function.body.append(code.call(helper))


@feature("functions")
def dead(draft: Draft) -> None:
    """Functions and variables that no kernel needs, some of which use each other."""
    functions = [draft.new_function(draft.module(), linkage=draft.rng.choice(["visible", WEAK])) for _ in range(4)]
    for function, callee in zip(functions, functions[1:]):
        if draft.maybe(0.6):
            function.body.append(code.call(callee))
    variable = draft.new_variable(draft.module())
    functions[-1].body.append(code.use(variable, draft.rng))
    draft.new_variable(draft.module(), "const")
    if draft.maybe(0.4):
        pointer = draft.new_variable(draft.module(), type="u64", count=1)
        pointer.init, pointer.uses = [functions[0].name], (functions[0].name,)


@feature("functions")
def many(draft: Draft) -> None:
    """Many functions, variables and kernels, and one more module or some."""
    for _ in range(draft.rng.randrange(1, 4)):
        draft.new_kernel(draft.new_module())
    for _ in range(draft.rng.randrange(10, 30)):
        function = draft.new_function(draft.module(), statements=1)
        draft.add(draft.caller(name=function.name, module=draft.module()) if draft.maybe(0.2) else draft.kernel(),
                  code.call(function))
    for _ in range(draft.rng.randrange(5, 20)):
        variable = draft.new_variable(draft.module(), draft.rng.choice(["global", "const", "global"]))
        draft.add(draft.kernel(), code.use(variable, draft.rng))


@feature("unified", available=lambda arch: arch.number >= 90)
def unified(draft: Draft) -> None:
    """Functions and variables with .attribute(.unified), which a link with -r collects."""
    home: Module = draft.module()
    for number in range(draft.rng.randrange(1, 4)):
        function = draft.new_function(home, signature=Signature())
        function.attribute = f".attribute(.unified({draft.counter}, {number + 7}))"
        draft.add(draft.kernel(draft.other(home)), code.call(function))
    if draft.maybe(0.7):
        variable = draft.new_variable(home, "global", type="u32", count=draft.rng.choice([1, 5]))
        variable.attribute = f".attribute(.unified({draft.counter}, 3))"
        variable.align = 0
        draft.add(draft.kernel(draft.other(home)), code.load(variable, draft.rng))
    if draft.maybe(0.8):
        draft.shape = "relocatable"
