# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program: modules with functions, variables and aliases, which refer to each other by name.

Nothing here knows PTX's syntax; render.py does. What a module uses and doesn't define is declared
there when the module is rendered, so that moving or removing a definition needs no further care.
"""

from dataclasses import dataclass, field

# Linkage of a definition.
VISIBLE, WEAK, STATIC, COMMON = "visible", "weak", "static", "common"

# Bytes of the scalar types.
SIZES = {"u8": 1, "b8": 1, "u16": 2, "b16": 2, "u32": 4, "b32": 4, "f32": 4, "u64": 8, "b64": 8, "f64": 8}

# Types of references to textures, samplers and surfaces. They have no size.
OPAQUE = ("texref", "samplerref", "surfref")


@dataclass(frozen=True)
class Signature:
    """Types of the result ("" if there is none) and of the parameters: b32, b64, f32, f64, or a
    structure of N bytes, "b8[N]"."""

    result: str = "b32"
    parameters: tuple[str, ...] = ("b32",)


@dataclass
class Statement:
    """Lines of code, and the names of what they refer to.

    Every function has one value that statements read and change, the register %v. The other
    registers (%a0.. %d0.. %f0.. %g0.. %p0.., see render.py) hold nothing from one statement to
    the next, and labels are local to a statement.
    """

    lines: list[str]
    uses: tuple[str, ...] = ()


@dataclass
class Function:
    name: str
    signature: Signature = Signature()
    is_kernel: bool = False
    linkage: str = VISIBLE
    body: list[Statement] = field(default_factory=list)
    # Directives such as ".maxntid 128, 1, 1"; kernels only.
    directives: list[str] = field(default_factory=list)
    # Declarations in the body, for example of shared variables.
    locals: list[str] = field(default_factory=list)
    # Kernels: further parameters, after the output pointer and a number.
    parameters: list[str] = field(default_factory=list)
    # ".attribute(...)" between .func and the name.
    attribute: str = ""


@dataclass
class Variable:
    name: str
    space: str = "global"
    type: str = "u32"
    count: int = 1
    align: int = 0  # 0: the type's
    # Values: numbers, or texts such as "name", "generic(name)" and "name+8".
    init: list = field(default_factory=list)
    linkage: str = VISIBLE
    attribute: str = ""
    # Written as "name[]" where it isn't defined, and everywhere if it is dynamic shared memory.
    is_unsized: bool = False
    uses: tuple[str, ...] = ()

    @property
    def is_opaque(self) -> bool:
        return self.type in OPAQUE

    @property
    def size(self) -> int:
        """In bytes."""
        return 0 if self.is_opaque else SIZES[self.type] * self.count

    @property
    def alignment(self) -> int:
        return self.align or (1 if self.is_opaque else SIZES[self.type])


@dataclass
class Alias:
    name: str
    target: str
    linkage: str = VISIBLE


@dataclass
class Module:
    name: str
    items: list = field(default_factory=list)
    # PTX ISA version that the module needs at least.
    version: tuple[int, int] = (8, 0)
    # .loc directives; DWARF beside them and the target's "debug".
    has_lines: bool = False
    has_dwarf: bool = False
    # Words after the target, for example "texmode_independent".
    target_options: list[str] = field(default_factory=list)

    @property
    def functions(self) -> list[Function]:
        return [item for item in self.items if isinstance(item, Function)]

    @property
    def kernels(self) -> list[Function]:
        return [f for f in self.functions if f.is_kernel]

    @property
    def variables(self) -> list[Variable]:
        return [item for item in self.items if isinstance(item, Variable)]

    def find(self, name: str):
        return next((item for item in self.items if item.name == name), None)


@dataclass
class Program:
    modules: list[Module] = field(default_factory=list)
    # Functions that nobody defines here, the driver's and the device runtime's for example.
    externals: dict[str, Function] = field(default_factory=dict)
    # Variables that modules declare otherwise than they are defined, if they are.
    missing: dict[str, Variable] = field(default_factory=dict)

    def find(self, name: str):
        """What other modules declare a name as."""
        if name in self.externals or name in self.missing:
            return self.externals.get(name) or self.missing[name]
        for module in self.modules:
            item = module.find(name)
            if item is not None and item.linkage != STATIC:
                return item
        return None

    def module_of(self, item) -> Module:
        return next(m for m in self.modules if any(i is item for i in m.items))

    @property
    def functions(self) -> list[Function]:
        return [f for m in self.modules for f in m.functions]

    @property
    def kernels(self) -> list[Function]:
        return [f for f in self.functions if f.is_kernel]
