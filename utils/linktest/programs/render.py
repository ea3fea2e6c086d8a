# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX of a module.

A module is written in the order: header, declarations of what it uses, prototypes of all its
functions, variables, functions, aliases, DWARF. So any function can call any other.
"""

from .dwarf import debug_sections
from .model import Alias, Function, Module, Program, Signature, Variable

# Registers of every function. The ones that no statement uses cost nothing.
REGISTERS = ".reg .b32 %v, %a<10>; .reg .b64 %out, %d<10>; .reg .f32 %f<10>; .reg .f64 %g<6>; .reg .pred %p<4>;"


def linkage_word(linkage: str) -> str:
    return "" if linkage == "static" else f".{linkage} "


def parameter(type_: str, name: str) -> str:
    """A parameter of a device function: "b32", or "b8[N]", a structure of N bytes."""
    if type_.startswith("b8["):
        return f".param .align 8 .b8 {name}{type_[2:]}"
    return f".param .{type_} {name}"


def heading(function: Function, name: str = "") -> str:
    """".func (.param .b32 r) f (.param .b32 x0)", with "_" for names in prototypes."""
    name = name or function.name
    if function.is_kernel:
        words = [".param .u64 out", ".param .u32 n", *function.parameters]
        return f".entry {name} ({', '.join(words)})"
    signature = function.signature
    result = f"({parameter(signature.result, 'r')}) " if signature.result else ""
    words = ", ".join(parameter(t, f"x{i}") for i, t in enumerate(signature.parameters))
    attribute = f"{function.attribute} " if function.attribute else ""
    return f".func {attribute}{result}{name} ({words})"


def prototype(signature: Signature) -> str:
    """For .callprototype."""
    result = f"({parameter(signature.result, '_')}) " if signature.result else ""
    words = ", ".join(parameter(t, "_") for t in signature.parameters)
    return f".callprototype {result}_ ({words})"


def variable_heading(variable: Variable) -> str:
    attribute = f" {variable.attribute}" if variable.attribute else ""
    if variable.is_opaque:
        return f".global .{variable.type} {variable.name}"
    size = "[]" if variable.is_unsized else f"[{variable.count}]" if variable.count != 1 else ""
    return f".{variable.space}{attribute} .align {variable.alignment} .{variable.type} {variable.name}{size}"


def define_variable(variable: Variable) -> str:
    if variable.is_unsized:
        return f".extern {variable_heading(variable)};"
    values = ", ".join(str(value) for value in variable.init)
    if not values:
        init = ""
    elif variable.count == 1:
        init = f" = {values}"
    else:
        init = f" = {{{values}}}"
    return f"{linkage_word(variable.linkage)}{variable_heading(variable)}{init};"


def declare(item) -> str:
    """A declaration of something that another module defines."""
    if isinstance(item, Variable):
        return f".extern {variable_heading(item)};"
    return f".extern {heading(item)};"


def prologue(function: Function) -> list[str]:
    """Gives %v a value that the compiler can't know."""
    if function.is_kernel:
        return ["ld.param.u64 %out, [out];", "ld.param.u32 %v, [n];", "mov.u32 %a0, %tid.x;", "add.u32 %v, %v, %a0;"]
    lines = ["mov.u32 %v, %laneid;"]
    for index, type_ in enumerate(function.signature.parameters):
        name = f"x{index}"
        if type_ == "b64":
            lines += [f"ld.param.b64 %d0, [{name}];", "cvt.u32.u64 %a0, %d0;"]
        elif type_ == "f32":
            lines += [f"ld.param.f32 %f0, [{name}];", "cvt.rzi.u32.f32 %a0, %f0;"]
        elif type_ == "f64":
            lines += [f"ld.param.f64 %g0, [{name}];", "cvt.rzi.u32.f64 %a0, %g0;"]
        else:
            lines += [f"ld.param.b32 %a0, [{name}];"]
        lines.append("add.u32 %v, %v, %a0;")
    return lines


def epilogue(function: Function) -> list[str]:
    """Uses %v, so that it isn't optimized away."""
    if function.is_kernel:
        return ["st.global.u32 [%out], %v;", "ret;"]
    result = function.signature.result
    if result == "":
        return ["ret;"]
    if result == "b64":
        return ["cvt.u64.u32 %d0, %v;", "st.param.b64 [r], %d0;", "ret;"]
    if result == "f32":
        return ["cvt.rn.f32.u32 %f0, %v;", "st.param.f32 [r], %f0;", "ret;"]
    if result == "f64":
        return ["cvt.rn.f64.u32 %g0, %v;", "st.param.f64 [r], %g0;", "ret;"]
    return ["st.param.b32 [r], %v;", "ret;"]


class ModuleWriter:
    """Writes one module; keeps the line number that .loc gives to the next statement."""

    def __init__(self, program: Program, module: Module, target: str):
        self.program, self.module, self.target = program, module, target
        self.line = 10
        self.ranges = []  # Functions with labels at their ends, for DWARF: name, first line.

    def resolve(self, name: str):
        """What a name means here: an item, and whether the module defines it."""
        own = self.module.find(name)
        if own is not None:
            return own, True
        return self.program.find(name), False

    def declarations(self) -> list[str]:
        lines, seen = [], set()
        names = [n for item in self.module.items for n in self.names_used(item)]
        for name in names:
            item, is_own = self.resolve(name)
            if name in seen or is_own or item is None:
                continue
            seen.add(name)
            if isinstance(item, Alias):
                item = self.as_function(item)
            lines.append(declare(item))
        return lines

    @staticmethod
    def names_used(item) -> list[str]:
        if isinstance(item, Function):
            return [name for statement in item.body for name in statement.uses]
        return list(getattr(item, "uses", ()))

    def as_function(self, alias: Alias) -> Function:
        target = self.program.find(alias.target) or self.module.find(alias.target)
        return Function(alias.name, target.signature, linkage=alias.linkage)

    def prototypes(self) -> list[str]:
        lines = []
        for item in self.module.items:
            if isinstance(item, Alias):
                item = self.as_function(item)
            if isinstance(item, Function) and not item.is_kernel:
                lines.append(f"{linkage_word(item.linkage)}{heading(item)};")
        return lines

    def location(self, indent: str) -> list[str]:
        self.line += 1
        return [f"{indent}.loc 1 {self.line} 3"] if self.module.has_lines else []

    def function(self, function: Function) -> list[str]:
        first = self.line + 1
        directives = "".join(f" {d}" for d in function.directives)
        lines = [f"{linkage_word(function.linkage)}{heading(function)}{directives}", "{", f"  {REGISTERS}"]
        lines += [f"  {local}" for local in function.locals]
        if self.module.has_dwarf:
            lines.append(f"$begin_{len(self.ranges)}:")
        lines += self.location("  ") + [f"  {line}" for line in prologue(function)]
        for statement in function.body:
            lines += self.location("  ") + ["  {"] + [f"    {line}" for line in statement.lines] + ["  }"]
        lines += self.location("  ") + [f"  {line}" for line in epilogue(function)]
        if self.module.has_dwarf:
            lines.append(f"$end_{len(self.ranges)}:")
            self.ranges.append((function.name, first))
        return lines + ["}"]

    def text(self) -> str:
        module = self.module
        version = ".".join(str(n) for n in module.version)
        target = ", ".join([self.target, *module.target_options, *(["debug"] if module.has_dwarf else [])])
        lines = [f".version {version}", f".target {target}", ".address_size 64"]
        if module.has_lines:
            lines.append(f'.file 1 "{module.name}.cu"')
        lines += self.declarations() + self.prototypes()
        lines += [define_variable(v) for v in module.variables]
        for function in module.functions:
            lines += self.function(function)
        aliases = [item for item in module.items if isinstance(item, Alias)]
        lines += [f".alias {alias.name}, {alias.target};" for alias in aliases]
        if module.has_dwarf:
            lines += debug_sections(f"{module.name}.cu", self.ranges)
        return "\n".join(lines) + "\n"


def render(program: Program, module: Module, target: str) -> str:
    """The PTX text of a module for a target such as "sm_90"."""
    return ModuleWriter(program, module, target).text()


