# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX of kernels and functions with varied control flow.

Loops with several exits, branches out of several loops at once and into the middle of one, tables, divergent returns, calls, and
warps that are brought together: what makes ptxas write the instructions that keep threads of a warp together. The kernels are for
comparing what linkers make of such code; not all of them would end. FP64 arithmetic is left out, whose NOPs have rules of their own.
"""

import random

FUNCTIONS = 4
LABEL_KINDS = ("again", "out")  # On with a loop, and behind it.


class Body:
    """The statements of a kernel or a function."""

    def __init__(self, rng: random.Random, name: str, callees: list[str], is_kernel: bool):
        self.rng, self.name, self.callees, self.is_kernel = rng, name, callees, is_kernel
        self.lines: list[str] = []
        self.labels = self.predicates = self.tables = 0
        self.loops: list[int] = []
        self.forward: list[int] = []
        self.calls = 0
        self.budget = rng.choice((15, 30, 60, 110))

    def emit(self, text: str) -> None:
        self.lines.append("\t" + text)

    def label(self) -> int:
        self.labels += 1
        return self.labels

    def place(self, kind: str, number: int) -> None:
        self.lines.append(f"{kind}{number}:")

    def value(self) -> str:
        return f"%v{self.rng.randrange(6)}"

    def condition(self) -> str:
        """A predicate that threads may disagree about, or one that they don't."""
        self.predicates += 1
        p, a, b = f"%p{self.predicates}", self.value(), self.rng.choice((self.value(), "7", "0", "%n"))
        if self.rng.random() < 0.2:
            a = "%n"
        kind = self.rng.choice(("eq", "lt", "gt", "ne")) + self.rng.choice((".s32", ".s32", ".u32"))
        kind = kind.replace("lt.u32", "lo.u32").replace("gt.u32", "hi.u32")
        self.emit(f"setp.{kind} {p}, {a}, {b};")
        return self.rng.choice((f"@{p}", f"@!{p}"))

    # Statements without control flow.

    def arithmetic(self) -> None:
        op = self.rng.choice(("add.s32", "xor.b32", "mul.lo.s32", "sub.s32", "min.s32", "shl.b32"))
        self.emit(f"{op} {self.value()}, {self.value()}, {self.rng.choice((self.value(), '3'))};")

    def memory(self) -> None:
        self.emit(f"mad.wide.u32 %a1, {self.value()}, 4, %a0;")
        self.emit(self.rng.choice((f"ld.global.u32 {self.value()}, [%a1];", f"st.global.u32 [%a1], {self.value()};",
                                   f"atom.global.add.u32 {self.value()}, [%a1], {self.value()};",
                                   f"red.global.max.u32 [%a1], {self.value()};",
                                   f"st.volatile.global.u32 [%a1], {self.value()};")))

    def shared(self) -> None:
        self.emit(f"and.b32 %t0, {self.value()}, 252;")
        self.emit("mov.u32 %t1, pool;")
        self.emit("add.u32 %t0, %t0, %t1;")
        self.emit(self.rng.choice((f"ld.shared.u32 {self.value()}, [%t0];", f"st.shared.u32 [%t0], {self.value()};",
                                   f"atom.shared.cas.b32 {self.value()}, [%t0], {self.value()}, 5;")))

    def warp(self) -> None:
        """What threads of a warp do together."""
        mask = self.rng.choice(("-1", "-1", self.value(), "255"))
        guard = self.condition() + " " if self.rng.random() < 0.15 else ""
        self.emit(guard + self.rng.choice((
            f"bar.warp.sync {mask};", f"shfl.sync.down.b32 {self.value()}, {self.value()}, 1, 31, {mask};",
            f"redux.sync.add.s32 {self.value()}, {self.value()}, {mask};", f"activemask.b32 {self.value()};",
            f"match.any.sync.b32 {self.value()}, {self.value()}, {mask};", f"mov.u32 {self.value()}, %laneid;")))

    def vote(self) -> None:
        kind = self.rng.choice(("any", "all", "uni"))
        p = self.condition().lstrip("@")
        self.emit(f"vote.sync.{kind}.pred %q, {p}, {self.rng.choice(('-1', self.value()))};")
        self.emit(f"selp.b32 {self.value()}, 1, {self.value()}, %q;")

    def rare(self) -> None:
        guard = self.condition() + " " if self.rng.random() < 0.3 else ""
        self.emit(guard + self.rng.choice(("bar.sync 0;", "nanosleep.u32 20;", "membar.gl;", "membar.cta;", "trap;", "brkpt;", "exit;",
                                           "fence.acq_rel.gpu;")))

    def divide(self) -> None:
        self.emit(f"{self.rng.choice(('div.s32', 'rem.u32'))} {self.value()}, {self.value()}, {self.value()};")

    def call(self) -> None:
        if not self.callees or self.calls > 3:
            return self.memory()
        self.calls += 1
        result, argument = self.value(), self.value()
        self.emit("{")
        self.emit(".param .b32 back, forth;")
        self.emit(f"st.param.b32 [forth], {argument};")
        if self.rng.random() < 0.25:
            self.emit(f"rem.u32 %t0, {self.value()}, {FUNCTIONS};")
            self.emit("mul.wide.u32 %a1, %t0, 8;")
            self.emit("mov.u64 %a2, functions;")
            self.emit("add.u64 %a1, %a1, %a2;")
            self.emit("ld.global.u64 %a2, [%a1];")
            self.emit(f"prototype{self.label()}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);")
            self.emit(".param .b64 place;")
            self.emit("st.param.b64 [place], %a0;")
            self.emit(f"call (back), %a2, (forth, place), prototype{self.labels};")
        else:
            self.emit(".param .b64 place;")
            self.emit("st.param.b64 [place], %a0;")
            self.emit(f"call{self.rng.choice(('', '', '.uni'))} (back), {self.rng.choice(self.callees)}, (forth, place);")
        self.emit(f"ld.param.b32 {result}, [back];")
        self.emit("}")

    PLAIN = [arithmetic] * 6 + [memory] * 5 + [shared] * 2 + [warp] * 3 + [vote, rare, divide, call]

    def plain(self) -> None:
        for _ in range(self.rng.choice((0, 1, 1, 2, 3, 5))):
            self.budget -= 1
            self.rng.choice(self.PLAIN)(self)

    # Control flow.

    def leave(self) -> None:
        """Out of one loop, of several, of the function, on with one, or behind a construct around."""
        guard = self.condition() if self.rng.random() < 0.8 else ""
        where = [f"{kind}{loop}" for loop in self.loops for kind in LABEL_KINDS] * 2 + [f"behind{n}" for n in self.forward]
        if not where or self.rng.random() < 0.15:
            self.emit(f"{guard} {self.rng.choice(('bra finish;', 'ret;', 'exit;' if self.is_kernel else 'ret;'))}")
            return
        if self.rng.random() < 0.2:
            self.plain()
        uniform = ".uni" if not guard and self.rng.random() < 0.3 else ""
        self.emit(f"{guard} bra{uniform} {self.rng.choice(where)};")

    def choose(self, depth: int) -> None:
        number = self.label()
        self.forward.append(number)
        self.emit(f"{self.condition()} bra else{number};")
        self.block(depth - 1)
        if self.rng.random() < 0.5:
            self.emit(f"bra behind{number};")
        self.place("else", number)
        if self.rng.random() < 0.6:
            self.block(depth - 1)
        self.place("behind", number)
        self.forward.pop()

    def loop(self, depth: int) -> None:
        number = self.label()
        kind = self.rng.randrange(4)
        if self.rng.random() < 0.1:  # Into its middle.
            self.emit(f"{self.condition()} bra middle{number};")
        self.place("again", number)
        self.loops.append(number)
        if kind == 0:
            self.emit(f"{self.condition()} bra out{number};")
        self.block(depth - 1)
        self.place("middle", number)
        if self.rng.random() < 0.6:
            self.leave()
        self.block(depth - 1)
        self.loops.pop()
        self.emit(f"{self.condition()} bra again{number};" if kind < 3 else f"bra again{number};")
        self.place("out", number)

    def table(self, depth: int) -> None:
        number, ways = self.label(), self.rng.randrange(3, 8)
        self.forward.append(number)
        cases = [f"case{number}_{self.rng.randrange(ways)}" for _ in range(self.rng.randrange(ways, 2 * ways))]
        self.lines.insert(0, f"table{number}: .branchtargets {', '.join(cases)};")
        self.emit(f"rem.u32 %t0, {self.value()}, {len(cases)};")
        self.emit(f"brx.idx{self.rng.choice(('', '.uni'))} %t0, table{number};")
        for way in range(ways):
            self.lines.append(f"case{number}_{way}:")
            if self.rng.random() < 0.3:
                self.block(depth - 1)
            else:
                self.plain()
            if self.rng.random() < 0.3:
                self.leave()
            if self.rng.random() < 0.7:
                self.emit(f"bra behind{number};")
        self.place("behind", number)
        self.forward.pop()

    def block(self, depth: int) -> None:
        self.plain()
        if depth <= 0 or self.budget < 0:
            return
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            self.rng.choice([self.choose] * 4 + [self.loop] * 4 + [self.table])(depth)
            if self.rng.random() < 0.5:
                self.leave()
            self.plain()

    def text(self) -> str:
        self.block(self.rng.randrange(1, 6))
        lines = "\n".join(self.lines)
        registers = (f"\t.reg .b32 %v<6>, %t<2>, %n;\n\t.reg .b64 %a<3>;\n"
                     f"\t.reg .pred %p<{self.predicates + 1}>, %q;\n")
        begin = [f"mov.u32 %v{i}, {what};" for i, what in enumerate(("%tid.x", "%ctaid.x", "%n", "5", "%laneid", "1"))]
        if self.is_kernel:
            head = f".visible .entry {self.name}(.param .u64 q, .param .u32 n)\n{{\n"
            begin = ["ld.param.u64 %a0, [q];", "ld.param.u32 %n, [n];", *begin]
            end = [f"st.global.u32 [%a0+{4 * i}], %v{i};" for i in range(6)] + ["ret;"]
        else:
            head = f".visible .func (.param .b32 from) {self.name}(.param .b32 to, .param .b64 at)\n{{\n"
            begin = ["ld.param.b64 %a0, [at];", "ld.param.b32 %n, [to];", *begin]
            end = ["add.u32 %v0, %v0, %v1;", "st.param.b32 [from], %v0;", "ret;"]
        table = lambda part: "".join(f"\t{line}\n" for line in part)
        return f"{head}{registers}{table(begin)}{lines}\nfinish:\n{table(end)}}}\n"


def write_module(seed: int, architecture: str, kernels: int, version: str = "9.0") -> str:
    """A module of so many kernels, and some functions that they call."""
    rng = random.Random(f"{seed} control flow")
    names = [f"f{i}" for i in range(FUNCTIONS)]
    declarations = "".join(f".visible .func (.param .b32 from) {name}(.param .b32 to, .param .b64 at);\n" for name in names)
    table = f".global .align 8 .u64 functions[{FUNCTIONS}] = {{{', '.join(names)}}};\n"
    bodies = [Body(rng, name, names[:i], False).text() for i, name in enumerate(names)]
    bodies += [Body(rng, f"k{i}", names if rng.random() < 0.5 else [], True).text() for i in range(kernels)]
    return (f".version {version}\n.target {architecture}\n.address_size 64\n.shared .align 4 .b8 pool[256];\n"
            f"{declarations}{table}" + "".join(bodies))
