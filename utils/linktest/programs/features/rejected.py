# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links that must be rejected: programs that don't fit together, broken inputs, wrong arguments."""

from links.case import Command

from .. import code
from ..draft import Draft
from ..model import Function, Signature, Variable
from .calls import wide_body
from .registry import feature


def rejected(function):
    return feature("rejected", mixes=False)(function)


def remove(draft: Draft, item) -> None:
    """Removes a definition; what uses it declares it."""
    home = draft.program.module_of(item)
    home.items = [i for i in home.items if i is not item]
    if isinstance(item, Function):
        draft.program.externals[item.name] = item
    else:
        draft.program.missing[item.name] = item


def called(draft: Draft, signature: Signature | None = None) -> Function:
    """A function that a kernel of another module calls."""
    home = draft.module()
    function = draft.new_function(home, signature=signature)
    draft.add(draft.kernel(draft.other(home)), code.call(function))
    return function


def used(draft: Draft, space: str = "global", **fields) -> Variable:
    """A variable that a kernel of another module uses."""
    home = draft.module()
    variable = draft.new_variable(home, space, **fields)
    draft.add(draft.kernel(draft.other(home)), code.use(variable, draft.rng))
    return variable


def one_more(draft: Draft, item) -> None:
    """Defines the same name in another module."""
    draft.other(draft.program.module_of(item)).items.append(item)


@rejected
def undefined_function(draft: Draft) -> None:
    """Called functions that nobody defines."""
    for _ in range(draft.rng.randrange(1, 4)):
        remove(draft, called(draft))


@rejected
def undefined_variable(draft: Draft) -> None:
    """Used variables that nobody defines."""
    for space in draft.rng.sample(["global", "const", "shared"], draft.rng.randrange(1, 4)):
        remove(draft, used(draft, space))


@rejected
def undefined_address(draft: Draft) -> None:
    """An initial value with the address of something that nobody defines."""
    target = draft.new_function(draft.module()) if draft.maybe(0.5) else draft.new_variable(draft.module())
    pointer = Variable(draft.name("pointer"), "global", "u64", init=[target.name], uses=(target.name,))
    home = draft.module()
    home.items.append(pointer)
    draft.add(draft.kernel(home), code.load(pointer, draft.rng))
    remove(draft, target)


@rejected
def undefined_texture(draft: Draft) -> None:
    """A texture that nobody defines."""
    home = draft.module()
    image = Variable(draft.name("image"), type="texref")
    home.items.append(image)
    draft.add(draft.kernel(draft.other(home)), code.texture(image, draft.rng))
    remove(draft, image)


@rejected
def duplicate_function(draft: Draft) -> None:
    """Two definitions of a function."""
    one_more(draft, called(draft))


@rejected
def duplicate_kernel(draft: Draft) -> None:
    """Two kernels of one name."""
    one_more(draft, draft.kernel())


@rejected
def duplicate_variable(draft: Draft) -> None:
    """Two definitions of a variable."""
    variable = used(draft, draft.rng.choice(["global", "const", "shared"]))
    if variable.space != "shared":
        draft.initialise(variable)
    one_more(draft, variable)


@rejected
def other_size(draft: Draft) -> None:
    """A variable that is declared with another size than it has."""
    variable = used(draft, draft.rng.choice(["global", "const"]), type="u32", count=16)
    home = draft.program.module_of(variable)
    home.items.remove(variable)
    home.items.append(Variable(variable.name, variable.space, "u32", 8, init=[1]))
    draft.program.missing[variable.name] = variable


@rejected
def other_space(draft: Draft) -> None:
    """A variable that is declared in another memory space."""
    variable = used(draft, "global", type="u32", count=1)
    home = draft.program.module_of(variable)
    home.items.remove(variable)
    home.items.append(Variable(variable.name, draft.rng.choice(["const", "shared"]), "u32"))
    draft.program.missing[variable.name] = variable


@rejected
def other_kind(draft: Draft) -> None:
    """A function where a variable is needed, or the other way round."""
    home, name = draft.module(), draft.name("name")
    user = draft.kernel(draft.other(home))
    if draft.maybe(0.5):
        item = draft.program.externals[name] = Function(name, Signature())
        draft.add(user, code.call(item))
        home.items.append(Variable(name, "global", "u32", init=[3]))
    else:
        item = draft.program.missing[name] = Variable(name, "global", "u32")
        draft.add(user, code.load(item, draft.rng))
        home.items.append(Function(name, Signature(), body=[code.arithmetic(draft.rng)]))


@rejected
def other_prototype(draft: Draft) -> None:
    """A function with other parameters than its caller gives."""
    item = Function(draft.name("function"), Signature())
    home = draft.module()
    draft.program.externals[item.name] = item
    draft.add(draft.kernel(draft.other(home)), code.call(item))
    home.items.append(Function(item.name, Signature("b64", ("b64", "b64")), body=[code.arithmetic(draft.rng)]))


@rejected
def too_many_registers(draft: Draft) -> None:
    """A kernel with a limit calls a function that needs more registers."""
    function = called(draft)
    function.body.append(wide_body(120))
    for kernel in draft.program.kernels:
        kernel.directives = [".maxnreg 32"]


@rejected
def too_much_constant(draft: Draft) -> None:
    """More than 64 KiB of constants."""
    for module in draft.program.modules[:2]:
        variable = draft.new_variable(module, "const", type="u32", count=10000)
        draft.add(draft.kernel(module), code.load(variable, draft.rng))


@rejected
def too_much_shared(draft: Draft) -> None:
    """More shared memory than a kernel may have."""
    kernel = draft.kernel()
    for module in draft.program.modules[:2]:
        function = draft.new_function(module)
        variable = draft.new_variable(module, "shared", type="u32", count=10000)
        function.body.append(code.store(variable, draft.rng))
        function.body.append(code.load(variable, draft.rng))
        draft.add(kernel, code.call(function))


@rejected
def file_missing(draft: Draft) -> None:
    """An input that isn't there."""
    draft.extra_inputs.append(draft.rng.choice(["absent.cubin", "absent.o", "absent.a", "no/such/file.fatbin"]))


@rejected
def library_missing(draft: Draft) -> None:
    """A library that isn't there, with a function that it should have."""
    remove(draft, called(draft))
    draft.options += ["-L.", "-labsent"]


@rejected
def no_inputs(draft: Draft) -> None:
    """Nothing to link."""
    draft.program.modules.clear()


@rejected
def garbage(draft: Draft) -> None:
    """Inputs that are no objects."""
    name = "junk" + draft.rng.choice([".cubin", ".fatbin", ".o", ".a", ".txt", ""])
    draft.sources[name] = draft.rng.choice(["", "not an object\n" * 9, "\x7fELF", "!<arch>\n", "\n"])
    draft.extra_inputs.append(name)


@rejected
def cut(draft: Draft) -> None:
    """Objects that end too early."""
    module = draft.module()
    size = draft.rng.choice([1, 30, 63, 64, 200, 700])
    draft.commands_after.append(Command("dd", [f"if={module.name}.cubin", "of=cut.cubin", "bs=1", f"count={size}", "status=none"],
                                          [f"{module.name}.cubin"], ["cut.cubin"]))
    draft.extra_inputs.append("cut.cubin")


@rejected
def other_architecture(draft: Draft) -> None:
    """Objects of an architecture whose code doesn't run on the link's."""
    other = "sm_80" if draft.arch.number >= 90 else "sm_90"
    for module in draft.rng.sample(draft.program.modules, draft.rng.randrange(1, len(draft.program.modules) + 1)):
        draft.build(module).architectures = [other]
        function = draft.new_function(module)
        draft.add(draft.kernel(module), code.call(function))


@rejected
def ptx_text(draft: Draft) -> None:
    """PTX text under a name that isn't PTX's."""
    remove(draft, called(draft))
    draft.sources["text.o"] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .func f () { ret; }\n"
    draft.extra_inputs.append("text.o")


@rejected
def bare_archive(draft: Draft) -> None:
    """A needed cubin in an archive, where nvlink doesn't look for it."""
    function = called(draft)
    home = draft.program.module_of(function)
    draft.program.modules.remove(home)
    draft.program.modules.append(home)
    target = f"{home.name}.cubin"
    draft.commands_after.append(Command("ar", ["rcsD", "libbare.a", target], [target], ["libbare.a"]))
    draft.replaced_inputs[target] = "libbare.a"


@rejected
def bad_architecture(draft: Draft) -> None:
    """An architecture that isn't there, or none."""
    draft.target = draft.rng.choice(["", "sm_1", "sm_900", "90", "compute_", "lto_1", "sm_90aa"])


@rejected
def bad_options(draft: Draft) -> None:
    """Options that aren't there, or with wrong values."""
    wrong = ["-no-such-option", "--no-such-option", "-m32", "-cpu-arch=Z80", "-maxrregcount=many", "-Ofc=9", "-ghls=none",
             "-device-stack-protector=maybe", "-split-compile=x", "--machine", "-r=1", "-arch"]
    draft.options.append(draft.rng.choice(wrong))


@rejected
def unwritable(draft: Draft) -> None:
    """An output that can't be written."""
    draft.output = draft.rng.choice(["no/such/folder/out.cubin", ".", "/"])


@rejected
def warnings_as_errors(draft: Draft) -> None:
    """-Werror and something to warn of."""
    function = called(draft, Signature())
    function.body.append(code.call_if(function, 3, depth=1))
    draft.options.append(draft.rng.choice(["-Werror", "--warning-as-error"]))
    if draft.maybe(0.3):
        draft.options.append(draft.rng.choice(["-w", "-suppress-stack-size-warning"]))


@rejected
def same_input_twice(draft: Draft) -> None:
    """One object given twice."""
    draft.extra_inputs.append(f"{draft.module().name}.cubin")
