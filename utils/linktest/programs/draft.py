# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case in the making: a program, how its modules are compiled and packed, and how they are linked.

A feature (features/) is a function that adds to a Draft. All that is random comes from `rng`, so
that a seed fixes the case.
"""

from dataclasses import dataclass, field
from random import Random

from . import code
from .architectures import Architecture
from .model import Function, Module, Program, Signature, Variable, VISIBLE

SIGNATURES = [Signature(), Signature(), Signature("b32", ("b32", "b32")), Signature("b64", ("b64",)),
              Signature("f32", ("f32", "b32")), Signature("", ("b32",)), Signature("b32", ("b8[24]",)), Signature("f64", ("f64",))]


@dataclass
class Host:
    """What the host code of an object refers to: the lists of cudaRegister calls that nvcc writes.

    Kinds: K kernels, D variables, C constants; E external and I internal ones (.nvHRKE and so on).
    """

    references: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Build:
    """How one module becomes an input of the link."""

    options: list[str] = field(default_factory=list)  # For ptxas.
    # "cubin", "fatbin", "object" (host object), "object-archive", "ptx-fatbin".
    package: str = "cubin"
    # Architectures instead of the case's; several make a fatbin of several images.
    architectures: list[str] = field(default_factory=list)
    host: Host | None = None
    # Index of the compiler's toolkit, among those given.
    compiler: int = 0
    suffix: str = ".cubin"
    # Replaces ptxas: the whole program is compiled at once ("-ewp" instead of "-c").
    mode: str = "-c"


class Draft:
    def __init__(self, arch: str, rng: Random, features: list[str], compilers: int = 1):
        self.arch = Architecture(arch)
        self.rng = rng
        self.features = features
        self.compilers = compilers
        self.program = Program()
        self.builds: dict[str, Build] = {}
        self.options: list[str] = []  # Of the last link.
        self.relocatable_options: list[str] = []  # Of links with -r.
        # Which links there are: "direct" one, "relocatable" one with -r; "relink" some inputs with -r
        # and then all, "parts" all in links with -r, "nested" these of each other.
        self.shape = "direct"
        self.libraries: list[str] = []  # Of the toolkit, for example "cudadevrt".
        self.sources: dict[str, str] = {}  # Further files as they are: name, text.
        self.commands: list = []  # Further commands before the links (case.Command).
        self.commands_after: list = []  # The same, after the modules' inputs are made.
        self.extra_inputs: list[str] = []  # What they make, for the link.
        self.replaced_inputs: dict[str, str] = {}  # Inputs that others take the place of.
        self.output = "out.cubin"
        self.target = arch  # For -arch of the links.
        self.outputs: list[str] = []  # What the last link writes besides the image.
        self.varying: list[str] = []  # Those of them whose contents vary.
        self.link_reads: list[str] = []  # Files that the last link reads besides its inputs.
        self.ours: list[str] = []  # Options for the linker under test only.
        self.shuffles_inputs = False
        self.use_options_file = False
        self.counter = 0

    # Names and modules.

    def name(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}_{self.counter}"

    def new_module(self) -> Module:
        module = Module(f"m{len(self.program.modules)}", version=self.arch.ptx_version)
        self.program.modules.append(module)
        self.builds[module.name] = Build()
        return module

    def module(self) -> Module:
        return self.rng.choice(self.program.modules)

    def other(self, module: Module) -> Module:
        """Another module, if there is one."""
        others = [m for m in self.program.modules if m is not module]
        return self.rng.choice(others) if others else module

    def build(self, module: Module) -> Build:
        return self.builds[module.name]

    def require(self, module: Module, version: tuple[int, int]) -> None:
        """The module needs this version of PTX at least."""
        module.version = max(module.version, version)

    # Functions and variables.

    def kernel(self, module: Module | None = None) -> Function:
        """A kernel that is there, of a module if one is given; a new one if there is none."""
        kernels = module.kernels if module else self.program.kernels
        if kernels:
            return self.rng.choice(kernels)
        return self.new_kernel(module or self.module())

    def new_kernel(self, module: Module, name: str = "", linkage: str = VISIBLE) -> Function:
        kernel = Function(name or self.name("kernel"), is_kernel=True, linkage=linkage)
        kernel.body.append(code.arithmetic(self.rng))
        module.items.append(kernel)
        return kernel

    def new_function(self, module: Module, name: str = "", linkage: str = VISIBLE, signature: Signature | None = None,
                     statements: int = 2) -> Function:
        """A device function with some arithmetic in it."""
        function = Function(name or self.name("function"), signature or self.rng.choice(SIGNATURES), linkage=linkage)
        function.body += [code.arithmetic(self.rng) for _ in range(self.rng.randrange(1, statements + 1))]
        module.items.append(function)
        return function

    def new_variable(self, module: Module, space: str = "global", name: str = "", linkage: str = VISIBLE,
                     **fields) -> Variable:
        type_ = fields.pop("type", None) or self.rng.choice(["u8", "u16", "u32", "u32", "u64", "f32", "f64"])
        count = fields.pop("count", None) or self.rng.choice([1, 1, 2, 3, 8, 33])
        variable = Variable(name or self.name("variable"), space, type_, count, linkage=linkage, **fields)
        if not variable.align and self.rng.random() < 0.3:
            variable.align = self.rng.choice([8, 16, 32, 128])
        module.items.append(variable)
        return variable

    def initialise(self, variable: Variable) -> None:
        values = self.rng.randrange(1, min(variable.count, 6) + 1) if variable.count > 1 else 1
        floats = variable.type.startswith("f")
        variable.init = [f"{self.rng.random() * 8:.3f}" if floats else self.rng.randrange(1, 200) for _ in range(values)]

    def caller(self, name: str = "", module: Module | None = None) -> Function:
        """A kernel, or now and then a device function that is there; never `name`."""
        module = module or self.module()
        functions = [f for f in module.functions if f.name != name and not f.is_kernel]
        if functions and self.rng.random() < 0.3:
            return self.rng.choice(functions)
        return self.kernel(module)

    def add(self, function: Function, statement) -> None:
        """Puts a statement at a random place of a function."""
        function.body.insert(self.rng.randrange(len(function.body) + 1), statement)

    def maybe(self, probability: float) -> bool:
        return self.rng.random() < probability
