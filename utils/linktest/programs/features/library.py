# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the driver and the toolkit's libraries provide."""

from .. import code
from ..draft import Draft
from ..model import Function, Signature, Variable
from .registry import feature

# Functions of the driver, which the link leaves undefined.
SYSTEM = {
    "vprintf": Signature("b32", ("b64", "b64")), "malloc": Signature("b64", ("b64",)), "free": Signature("", ("b64",)),
    "__assertfail": Signature("", ("b64", "b64", "b32", "b64", "b64")),
}

# Functions of libcudadevrt.
DEVICE_RUNTIME = {
    "cudaGetParameterBufferV2": Signature("b64", ("b64", "b64", "b32", "b32")),
    "cudaDeviceSynchronize": Signature("b32", ()), "cudaGetLastError": Signature("b32", ()),
    "cudaGetDeviceCount": Signature("b32", ("b64",)), "cudaStreamDestroy": Signature("b32", ("b64",)),
    "cudaMalloc": Signature("b32", ("b64", "b64")), "cudaFree": Signature("b32", ("b64",)),
    "cudaDeviceGetAttribute": Signature("b32", ("b64", "b32", "b32")), "cudaEventDestroy": Signature("b32", ("b64",)),
    "cudaMemsetAsync": Signature("b32", ("b64", "b32", "b64", "b64")),
}


def external(draft: Draft, name: str, signature: Signature) -> Function:
    return draft.program.externals.setdefault(name, Function(name, signature))


@feature("library")
def textures(draft: Draft) -> None:
    """References to textures and surfaces, defined here and elsewhere."""
    for _ in range(draft.rng.randrange(1, 4)):
        home = draft.module()
        reference = Variable(draft.name("image"), type=draft.rng.choice(["texref", "texref", "surfref"]))
        home.items.append(reference)
        draft.add(draft.caller(module=home), code.texture(reference, draft.rng))
        if draft.maybe(0.5):
            draft.add(draft.kernel(draft.other(home)), code.texture(reference, draft.rng))


@feature("library", excludes=("textures", "bindless"))
def samplers(draft: Draft) -> None:
    """Textures with samplers of their own."""
    for module in draft.program.modules:
        module.target_options.append("texmode_independent")
    home = draft.module()
    image, sampler = Variable(draft.name("image"), type="texref"), Variable(draft.name("filter"), type="samplerref")
    home.items.append(image)
    draft.other(home).items.append(sampler)
    for user in (home, draft.other(home)):
        draft.add(draft.kernel(user), code.raw(
            f"tex.1d.v4.f32.s32 {{%f1, %f2, %f3, %f4}}, [{image.name}, {sampler.name}, {{%v}}];", "cvt.rzi.u32.f32 %v, %f1;",
            uses=(image.name, sampler.name)))


@feature("library")
def bindless(draft: Draft) -> None:
    """Textures and surfaces by handle."""
    lines = draft.rng.choice([
        ["cvt.u64.u32 %d0, %v;", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d0, {%v}];", "cvt.rzi.u32.f32 %v, %f1;"],
        ["cvt.u64.u32 %d0, %v;", "suld.b.1d.b32.trap %v, [%d0, {%v}];"]])
    function = draft.new_function(draft.module())
    function.body.append(code.raw(*lines))
    draft.add(draft.kernel(), code.call(function))
    draft.add(draft.kernel(), code.raw(*lines))


@feature("library")
def syscalls(draft: Draft) -> None:
    """vprintf, malloc, free and assert."""
    for name in draft.rng.sample(sorted(SYSTEM), draft.rng.randrange(1, len(SYSTEM) + 1)):
        function = external(draft, name, SYSTEM[name])
        for _ in range(draft.rng.randrange(1, 3)):
            draft.add(draft.caller(), code.call(function))
    if draft.maybe(0.4):
        helper = draft.new_function(draft.module())
        helper.body.append(code.call(external(draft, "vprintf", SYSTEM["vprintf"])))
        draft.add(draft.kernel(), code.call(helper))


@feature("library", needs=("cudadevrt",), mixes=False)
def device_runtime(draft: Draft) -> None:
    """Functions of libcudadevrt, which is linked from its archive."""
    # Gone from sm_90 on.
    known = [name for name in sorted(DEVICE_RUNTIME) if name != "cudaDeviceSynchronize" or draft.arch.number < 90]
    for name in draft.rng.sample(known, draft.rng.randrange(1, 4)):
        draft.add(draft.caller(), code.call(external(draft, name, DEVICE_RUNTIME[name])))
    draft.libraries.append("cudadevrt")
    if draft.maybe(0.2):
        draft.options.append("-keep-system-libraries")


@feature("library", needs=("cudadevrt",), mixes=False)
def unused_library(draft: Draft) -> None:
    """libcudadevrt without need."""
    draft.libraries.append("cudadevrt")
    if draft.maybe(0.4):
        draft.options.append("-keep-system-libraries")
