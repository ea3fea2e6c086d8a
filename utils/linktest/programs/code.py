# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements: each function here makes one, which reads %v and changes it."""

from random import Random

from .model import Function, Signature, Statement, Variable
from .render import parameter, prototype

ARITHMETIC = [
    "add.u32 %v, %v, {k};", "mul.lo.u32 %v, %v, {k};", "xor.b32 %v, %v, {k};", "shl.b32 %v, %v, 3;",
    "mad.lo.u32 %v, %v, {k}, 7;", "shf.l.wrap.b32 %v, %v, %v, 5;", "popc.b32 %a0, %v; add.u32 %v, %a0, {k};",
    "min.u32 %v, %v, {k};", "mov.u32 %a0, %ctaid.x; add.u32 %v, %v, %a0;", "bfe.u32 %v, %v, 3, 21;",
    "prmt.b32 %v, %v, {k}, 0x3210;", "abs.s32 %v, %v;", "rem.u32 %v, %v, {k};", "mul.hi.u32 %v, %v, {k};",
    "cvt.rn.f32.u32 %f0, %v; mul.f32 %f0, %f0, 0f40490FDB; cvt.rzi.u32.f32 %v, %f0;",
    "cvt.rn.f32.u32 %f0, %v; sqrt.approx.f32 %f0, %f0; cvt.rzi.u32.f32 %v, %f0;",
    "cvt.rn.f32.u32 %f0, %v; rcp.rn.f32 %f0, %f0; cvt.rzi.u32.f32 %v, %f0;",
]


def arithmetic(rng: Random) -> Statement:
    return Statement([rng.choice(ARITHMETIC).format(k=rng.randrange(3, 1 << 20))])


def store_parameter(type_: str, name: str, index: int) -> list[str]:
    """%v + index, converted, into an outgoing parameter."""
    value = [f"add.u32 %a1, %v, {index};"]
    if type_ == "b64":
        return value + ["cvt.u64.u32 %d0, %a1;", f"st.param.b64 [{name}], %d0;"]
    if type_ == "f32":
        return value + ["cvt.rn.f32.u32 %f0, %a1;", f"st.param.f32 [{name}], %f0;"]
    if type_ == "f64":
        return value + ["cvt.rn.f64.u32 %g0, %a1;", f"st.param.f64 [{name}], %g0;"]
    return value + [f"st.param.b32 [{name}], %a1;"]


def load_result(type_: str) -> list[str]:
    if type_ == "":
        return []
    if type_ == "b64":
        return ["ld.param.b64 %d0, [q];", "cvt.u32.u64 %a1, %d0;", "add.u32 %v, %v, %a1;"]
    if type_ == "f32":
        return ["ld.param.f32 %f0, [q];", "cvt.rzi.u32.f32 %a1, %f0;", "add.u32 %v, %v, %a1;"]
    if type_ == "f64":
        return ["ld.param.f64 %g0, [q];", "cvt.rzi.u32.f64 %a1, %g0;", "add.u32 %v, %v, %a1;"]
    return ["ld.param.b32 %a1, [q];", "xor.b32 %v, %v, %a1;"]


def call_lines(callee: str, signature: Signature, suffix: str = "") -> list[str]:
    lines = []
    if signature.result:
        lines.append(f"{parameter(signature.result, 'q')};")
    names = []
    for index, type_ in enumerate(signature.parameters):
        lines.append(f"{parameter(type_, f'p{index}')};")
        lines += store_parameter(type_, f"p{index}", index)
        names.append(f"p{index}")
    result = "(q), " if signature.result else ""
    arguments = f", ({', '.join(names)})" if names or suffix else ""
    word = "call" if suffix else "call.uni"
    lines.append(f"{word} {result}{callee}{arguments}{suffix};")
    return lines + load_result(signature.result)


def call(function, signature: Signature | None = None) -> Statement:
    """A call of a function, or of an alias whose signature is given."""
    return Statement(call_lines(function.name, signature or function.signature), (function.name,))


def call_if(function: Function, bit: int, depth: int = 0) -> Statement:
    """A call that only some threads make; with a depth, until %v is 0: for recursion."""
    lines = [f"and.b32 %a2, %v, {1 << bit};", "setp.eq.u32 %p0, %a2, 0;", "@%p0 bra after;"]
    if depth:
        lines.append(f"shr.u32 %v, %v, {depth};")
    return Statement(lines + call_lines(function.name, function.signature) + ["after:"], (function.name,))


def call_pointer(load: list[str], uses: tuple[str, ...], signature: Signature) -> Statement:
    """A call through the address that `load` leaves in %d5."""
    lines = [*load, f"shape: {prototype(signature)};", *call_lines("%d5", signature, ", shape")]
    return Statement(lines, uses)


def call_taken(function: Function) -> Statement:
    """A call through a function's address, taken here."""
    return call_pointer([f"mov.u64 %d5, {function.name};"], (function.name,), function.signature)


def load_width(variable: Variable) -> tuple[str, int]:
    """The type and size in bytes to access a variable by."""
    if variable.size >= 4 and variable.alignment >= 4:
        return "u32", 4
    return "u8", 1


def offset_in(variable: Variable, rng: Random) -> int:
    """An offset in bytes at which a variable can be accessed."""
    _, width = load_width(variable)
    if variable.is_unsized:
        return width * rng.randrange(16)
    return width * rng.randrange(max(1, variable.size // width))


def load(variable: Variable, rng: Random) -> Statement:
    type_, _ = load_width(variable)
    offset = offset_in(variable, rng)
    place = f"[{variable.name}+{offset}]" if offset else f"[{variable.name}]"
    return Statement([f"ld.{variable.space}.{type_} %a0, {place};", "add.u32 %v, %v, %a0;"], (variable.name,))


def store(variable: Variable, rng: Random) -> Statement:
    type_, _ = load_width(variable)
    offset = offset_in(variable, rng)
    place = f"[{variable.name}+{offset}]" if offset else f"[{variable.name}]"
    return Statement([f"st.{variable.space}.{type_} {place}, %v;"], (variable.name,))


def address(variable: Variable, rng: Random) -> Statement:
    """Loads through a generic address."""
    type_, _ = load_width(variable)
    offset = offset_in(variable, rng)
    lines = [f"mov.u64 %d0, {variable.name};", f"cvta.{variable.space}.u64 %d0, %d0;",
             f"ld.{type_} %a0, [%d0+{offset}];", "xor.b32 %v, %v, %a0;"]
    return Statement(lines, (variable.name,))


def index(variable: Variable) -> Statement:
    """Loads an element whose number %v says."""
    type_, width = load_width(variable)
    count = max(1, variable.size // width)
    lines = [f"rem.u32 %a2, %v, {count};", f"mul.wide.u32 %d1, %a2, {width};", f"mov.u64 %d0, {variable.name};",
             "add.u64 %d0, %d0, %d1;", f"ld.{variable.space}.{type_} %a0, [%d0];", "add.u32 %v, %v, %a0;"]
    return Statement(lines, (variable.name,))


def use(variable: Variable, rng: Random) -> Statement:
    """One of the ways in which code can use a variable."""
    if variable.is_opaque:
        return texture(variable, rng)
    ways = [load, load, address, lambda v, _: index(v)]
    if variable.space != "const":
        ways.append(store)
    return rng.choice(ways)(variable, rng)


def texture(variable: Variable, rng: Random) -> Statement:
    """A read through a reference to a texture or surface."""
    name = variable.name
    if variable.type == "surfref":
        lines = rng.choice([[f"suld.b.1d.b32.trap %a0, [{name}, {{%v}}];"],
                            ["add.u32 %a1, %v, 1;", f"sust.b.1d.b32.trap [{name}, {{%a1}}], %v;", "mov.u32 %a0, 3;"],
                            [f"suq.width.b32 %a0, [{name}];"]])
        return Statement(lines + ["add.u32 %v, %v, %a0;"], (name,))
    lines = rng.choice([
        ["cvt.rn.f32.u32 %f0, %v;", f"tex.2d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [{name}, {{%f0, %f0}}];"],
        [f"tex.1d.v4.f32.s32 {{%f1, %f2, %f3, %f4}}, [{name}, {{%v}}];"],
        [f"txq.width.b32 %a0, [{name}];", "cvt.rn.f32.u32 %f1, %a0;"]])
    return Statement(lines + ["cvt.rzi.u32.f32 %a0, %f1;", "add.u32 %v, %v, %a0;"], (name,))


def switch(cases: int, rng: Random) -> Statement:
    """A jump table."""
    names = [f"case{i}" for i in range(cases)]
    lines = [f"rem.u32 %a0, %v, {cases};", f"targets: .branchtargets {', '.join(names)};", "brx.idx %a0, targets;"]
    registers = ["%clock", "%laneid", "%warpid", "%smid", "%gridid", "%nsmid", "%nwarpid", "%ntid.x"]
    for number, name in enumerate(names):
        register = registers[number % len(registers)]
        read = ["mov.u64 %d0, %gridid;", "cvt.u32.u64 %a1, %d0;"] if register == "%gridid" else [f"mov.u32 %a1, {register};"]
        lines += [f"{name}:", *read, f"mad.lo.u32 %v, %a1, {rng.randrange(3, 99)}, %v;"]
        if number + 1 < cases:
            lines.append("bra after;")
    return Statement(lines + ["after:"])


def loop(body: Statement, count: str = "%v") -> Statement:
    """Runs a statement as often as the low bits of a register say; %a8 and %a9 are the loop's own."""
    lines = [f"and.b32 %a8, {count}, 31;", "mov.u32 %a9, 0;", "again:", "setp.ge.u32 %p3, %a9, %a8;", "@%p3 bra after;",
             "{", *body.lines, "}", "add.u32 %a9, %a9, 1;", "bra again;", "after:"]
    return Statement(lines, body.uses)


def branch(body: Statement, rng: Random) -> Statement:
    lines = [f"setp.lt.u32 %p2, %v, {rng.randrange(8, 1 << 16)};", "@%p2 bra after;", "{", *body.lines, "}", "after:"]
    return Statement(lines, body.uses)


def literals(rng: Random) -> Statement:
    """Constants that don't fit into an instruction: they become literals in a constant bank."""
    numbers = [rng.getrandbits(52) | 0x3FF0000000000000 for _ in range(rng.randrange(1, 4))]
    lines = ["cvt.rn.f64.u32 %g0, %v;"]
    for number in numbers:
        lines.append(f"fma.rn.f64 %g0, %g0, 0d{number:016X}, 0d{number ^ 0xFFFF:016X};")
    return Statement(lines + ["cvt.rzi.u32.f64 %a0, %g0;", "add.u32 %v, %v, %a0;"])


def raw(*lines: str, uses: tuple[str, ...] = ()) -> Statement:
    return Statement(list(lines), uses)
