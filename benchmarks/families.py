# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The links that the benchmarks measure: families of inputs that grow with
`size` in the one respect that their name tells.

A family returns Sources. A Source is PTX text, compiled once, and the values
that its place holders (GGGGGG and the like) have in each copy of the object:
names in a cubin can be replaced by others of the same length, which is a
thousand times faster than compiling.
"""

import random
from dataclasses import dataclass, field

HEADER = ".version 8.0\n.target sm_75\n.address_size 64\n"
DECLARE = ".extern .func (.param .b32 r) {0} (.param .b32 x);\n"
CALL = """  {{
    .param .b32 p;
    .param .b32 q;
    st.param.b32 [p], %r1;
    call.uni (q), {0}, (p);
    ld.param.b32 %r2, [q];
  }}
  add.u32 %r1, %r1, %r2;
"""

#: Objects of a family that come in groups have this many functions or kernels.
GROUP = 50


@dataclass
class Source:
    """`copies` holds the place holders' values, object by object. `wrap` says
    what becomes of the cubin: nothing, a host object whose fatbin is compressed
    (zstd, lz4) or not (host), or a member of an archive of such (archive)."""
    text: str
    copies: list = field(default_factory=lambda: [{}])
    wrap: str = ""
    options: tuple = ()


def groups(count, **more):
    """Values for that many objects: GGGGGG is the object's own number, HHHHHH
    the next one's."""
    return [{"GGGGGG": f"{i:06d}", "HHHHHH": f"{i + 1:06d}", **more} for i in range(count)]


def function(name, callees=(), linkage=".visible", add=1, body="", registers=""):
    calls = "".join(CALL.format(callee) for callee in callees)
    return (f"{linkage} .func (.param .b32 r) {name} (.param .b32 x)\n{{\n"
            f"  .reg .b32 %r<4>;\n  .reg .b64 %rd<3>;\n{registers}  ld.param.b32 %r1, [x];\n"
            f"  xor.b32 %r1, %r1, {add};\n{body}{calls}  st.param.b32 [r], %r1;\n  ret;\n}}\n")


def entry(name, callees=(), body="", registers=""):
    calls = "".join(CALL.format(callee) for callee in callees)
    return (f".visible .entry {name} (.param .u64 out)\n{{\n  .reg .b64 %rd<3>;\n"
            f"  .reg .b32 %r<4>;\n{registers}  ld.param.u64 %rd1, [out];\n"
            f"  mov.u32 %r1, %tid.x;\n{body}{calls}  st.global.u32 [%rd1], %r1;\n  ret;\n}}\n")


def module(*parts, declare=()):
    return HEADER + "".join(DECLARE.format(name) for name in declare) + "".join(parts)


def tiny(size):
    """Two small files: an entry that calls a function."""
    return [Source(module(entry("k", ["f"]), declare=["f"])), Source(module(function("f")))]


def objects(size):
    """Many files of one function each, all called."""
    names = [f"f_GGGGGG_{i:02d}" for i in range(GROUP)]
    return [Source(module(entry("entry_GGGGGG", names), declare=names), groups(size // GROUP)),
            Source(module(function("f_GGGGGG_NN")),
                   [{"GGGGGG": f"{i // GROUP:06d}", "NN": f"{i % GROUP:02d}"}
                    for i in range(size)])]


def kernels(size):
    """Many entries, 50 a file, that share a function."""
    return [Source(module(function("shared_function"))),
            Source(module(*(entry(f"entry_GGGGGG_{i}", ["shared_function"]) for i in range(GROUP)),
                          declare=["shared_function"]), groups(size // GROUP))]


def chain(size):
    """A chain of `size` calls, and 1.6 times as many entries that reach all of
    it."""
    names = [f"link_GGGGGG_{i}" for i in range(GROUP)]
    parts = [function(name, [callee], add=i) for i, (name, callee) in
             enumerate(zip(names, names[1:] + ["link_HHHHHH_0"]))]
    parts.reverse()  # a function stands before its callers
    count = size // GROUP
    first, last = "link_000000_0", f"link_{count:06d}_0"
    kernel_files = max(1, size * 8 // 5 // GROUP)
    return [Source(module(*parts, declare=["link_HHHHHH_0"]), groups(count)),
            Source(module(function(last))),
            Source(module(*(entry(f"entry_GGGGGG_{i}", [first]) for i in range(GROUP)),
                          declare=[first]), groups(kernel_files))]


def graph(size):
    """A random call graph with cycles: eight objects, six calls a function, a
    kernel for every eight functions."""
    rng = random.Random(1)
    names = [f"node_{i}" for i in range(size)]
    sources = []
    for part in range(8):
        here = names[part::8]
        callees = {name: rng.sample(names, 6) for name in here}
        roots = [[rng.choice(names)] for _ in range(max(1, len(here) // 8))]
        used = {c for cs in [*callees.values(), *roots] for c in cs}
        parts = [f".visible .func (.param .b32 r) {name} (.param .b32 x);\n" for name in here]
        parts += [function(name, callees[name], add=i) for i, name in enumerate(here)]
        parts += [entry(f"entry_{part}_{i}", root) for i, root in enumerate(roots)]
        sources.append(Source(module(*parts, declare=sorted(used - set(here)))))
    return sources


PROTOTYPE = "  P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
INDIRECT_CALL = """  {
    .param .b32 p;
    .param .b32 q;
    st.param.b32 [p], %r1;
    call (q), %rd2, (p), P;
    ld.param.b32 %r1, [q];
  }
"""


def indirect(size):
    """Many functions whose address is taken, and for every ten of them a kernel
    that may call them all."""
    names = [f"target_GGGGGG_{i}" for i in range(GROUP)]
    table = f".visible .global .align 8 .u64 table_GGGGGG[{GROUP}] = {{{', '.join(names)}}};\n"
    call = PROTOTYPE + "  ld.global.u64 %rd2, [table_GGGGGG];\n" + INDIRECT_CALL
    return [Source(module(*(function(name, add=i) for i, name in enumerate(names)), table,
                          *(entry(f"entry_GGGGGG_{i}", body=call) for i in range(GROUP // 10))),
                   groups(size // GROUP))]


def arithmetic(count, seed):
    """That many instructions, about, that no compiler can leave out."""
    rng = random.Random(seed)
    return "".join(f"  mad.lo.u32 %r1, %r1, %r{rng.randrange(1, 3)}, {rng.randrange(1 << 31)};\n"
                   "  shf.l.wrap.b32 %r1, %r1, %r1, 7;\n" for _ in range(count // 2))


def weak(size):
    """The same 20 weak functions of 3 KB in every file, as C++ templates make
    them."""
    names = [f"_Z8instanceILi{i}EEii" for i in range(20)]
    return [Source(module(*(function(name, linkage=".weak", body="  mov.u32 %r2, %r1;\n" +
                                     arithmetic(150, i)) for i, name in enumerate(names)),
                          entry("entry_GGGGGG", names[:5])), groups(size))]


def relocations(size):
    """Functions of little but references to variables, in code and in data."""
    names = [f"variable_GGGGGG_{i}" for i in range(200)]
    parts = [f".visible .global .align 4 .u32 {name} = {i + 1};\n" for i, name in enumerate(names)]
    parts.append(f".visible .global .align 8 .u64 pointers_GGGGGG[200] = {{{', '.join(names)}}};\n")
    body = "".join(f"  ld.global.u32 %r2, [{name}];\n  add.u32 %r1, %r1, %r2;\n" for name in names)
    parts += [function(f"f_GGGGGG_{i}", body=body) for i in range(5)]
    parts.append(entry("entry_GGGGGG", [f"f_GGGGGG_{i}" for i in range(5)]))
    return [Source(module(*parts), groups(size))]


def shared(size):
    """Shared variables at module scope, two of them used by each function, and
    kernels that reach functions of their own and of the next object: their
    variables may not overlap."""
    parts = []
    for i in range(20):
        name = f"shared_GGGGGG_{i}"
        parts.append(f".visible .shared .align {4 << i % 3} .b8 {name}[{4 + 4 * (i % 7)}];\n")
    for i in range(10):
        body = "".join(f"  ld.shared.u32 %r2, [shared_GGGGGG_{v}];\n  add.u32 %r1, %r1, %r2;\n"
                       for v in (2 * i, 2 * i + 1))
        parts.append(function(f"f_GGGGGG_{i}", body=body))
    for i in range(10):
        parts.append(entry(f"entry_GGGGGG_{i}", [f"f_GGGGGG_{i}", f"f_HHHHHH_{i * 7 % 10}"]))
    count = size // 20
    copies = groups(count)
    copies[-1]["HHHHHH"] = "000000"
    return [Source(module(*parts, declare=[f"f_HHHHHH_{i}" for i in range(10)]), copies)]


def double(rng):
    return f"0d3F{rng.getrandbits(56):014X}"


def constants(size):
    """Device functions with literals in the constant bank of the kernels that
    reach them, and some user constants."""
    rng = random.Random(3)
    parts = [f".visible .const .align 4 .u32 constant_GGGGGG = 7;\n"]
    registers = "  .reg .f64 %fd<3>;\n"
    for i in range(10):
        body = "  cvt.rn.f64.s32 %fd1, %r1;\n" + "".join(
            f"  fma.rn.f64 %fd1, %fd1, {double(rng)}, {double(rng)};\n" for _ in range(20))
        body += "  mov.b64 {%r2, %r3}, %fd1;\n  xor.b32 %r1, %r2, %r3;\n"
        parts.append(function(f"f_GGGGGG_{i}", body=body, registers=registers))
    for i in range(10):
        parts.append(entry(f"entry_GGGGGG_{i}", [f"f_GGGGGG_{j}" for j in range(i + 1)],
                           body="  ld.const.u32 %r1, [constant_GGGGGG];\n"))
    return [Source(module(*parts), groups(size // 10))]


def debug(size):
    """Line tables, frames and much DWARF, from objects compiled for debugging."""
    rng = random.Random(4)
    names = [f"f_GGGGGG_{i}" for i in range(10)]
    parts = ['.file 1 "source.cu"\n']

    def located(text):
        lines = text.split("\n")
        return "\n".join(f".loc 1 {i + 1} 1\n{line}" if line.endswith(";") and ".reg" not in line
                         and ".param .b32" not in line else line for i, line in enumerate(lines))
    parts += [located(function(name, body="  mov.u32 %r2, %r1;\n" + arithmetic(40, i)))
              for i, name in enumerate(names)]
    parts.append(located(entry("entry_GGGGGG", names)))
    # One unit with one entry, whose producer has a very long name.
    producer = ",".join(str(rng.randrange(97, 123)) for _ in range(20000))
    parts.append(".section .debug_abbrev\n{\n.b8 1,17,0,37,8,19,5,3,8,16,6,27,8,0,0,0\n}\n"
                 ".section .debug_info\n{\n.b32 20019\n.b8 2,0\n.b32 .debug_abbrev\n"
                 f".b8 8,1,{producer},0,4,0,97,0\n.b32 .debug_line\n.b8 47,0\n}}\n")
    return [Source(module(*parts), groups(size), options=("-g",))]


def fatbins(size, wrap):
    return [Source(module(*(function(f"f_GGGGGG_{i}", body="  mov.u32 %r2, %r1;\n" +
                                     arithmetic(200, i)) for i in range(10)),
                          entry("entry_GGGGGG", [f"f_GGGGGG_{i}" for i in range(10)])),
                   groups(size), wrap=wrap)]


def zstd(size):
    """Host objects whose fatbins are compressed with zstd."""
    return fatbins(size, "zstd")


def lz4(size):
    """Host objects whose fatbins are compressed with LZ4."""
    return fatbins(size, "lz4")


def archive(size):
    """One archive of many members, of whose functions one in 200 is called."""
    names = [f"f_GGGGGG_{i}" for i in range(20)]
    called = [f"f_{i:06d}_0" for i in range(0, size, 10)]
    return [Source(module(*(entry(f"entry_{i}", [name]) for i, name in enumerate(called)),
                          declare=called)),
            Source(module(*(function(name, body="  mov.u32 %r2, %r1;\n" + arithmetic(60, i))
                            for i, name in enumerate(names))), groups(size), wrap="archive")]


def textures(size):
    """Kernels that reach 100 texture references, each of which is a slot with a
    relocation in every kernel."""
    names = [f"texture_{i}" for i in range(100)]
    fetch = "".join(f"  tex.1d.v4.f32.s32 {{%f1, %f2, %f3, %f4}}, [{name}, {{%r1}}];\n"
                    "  mov.b32 %r2, %f1;\n  add.u32 %r1, %r1, %r2;\n" for name in names)
    return [Source(module(*(f".visible .global .texref {name};\n" for name in names),
                          function("sample", body=fetch, registers="  .reg .f32 %f<5>;\n"))),
            Source(module(*(entry(f"entry_GGGGGG_{i}", ["sample"]) for i in range(GROUP)),
                          declare=["sample"]), groups(size // GROUP))]


def variables(size):
    """Global variables, 100 a file, all used."""
    names = [f"variable_GGGGGG_{i}" for i in range(100)]
    parts = [f".visible .global .align {4 << (i % 3)} .b8 {name}[{8 + 4 * (i % 9)}] = {{{i % 100}}};\n"
             for i, name in enumerate(names)]
    body = "".join(f"  ld.global.u32 %r2, [{name}];\n  add.u32 %r1, %r1, %r2;\n" for name in names)
    parts.append(entry("entry_GGGGGG", body=body))
    return [Source(module(*parts), groups(size // 100))]


def data(size):
    """A few MiB of initialised variables each: reading and writing."""
    rng = random.Random(2)
    return [Source(module(
        f".visible .global .align 16 .b8 block_GGGGGG[{4 << 20}] = {{"
        + ", ".join(str(rng.randrange(256)) for _ in range(256)) + "};\n"
        ".visible .global .align 8 .u64 last_GGGGGG = 1;\n",
        entry("entry_GGGGGG", body="  ld.global.u32 %r1, [block_GGGGGG+64];\n")), groups(size))]


#: name -> (generator, sizes, largest size for nvlink). Larger ones, where
#: nvlink takes seconds to minutes, are for the growth of this linker's time.
FAMILIES = {
    "tiny": (tiny, [2], 2),
    "objects": (objects, [1000, 2000, 4000, 8000, 20000], 8000),
    "kernels": (kernels, [2000, 4000, 8000, 16000, 128000], 16000),
    "chain": (chain, [100, 250, 500, 1000, 2000, 4000], 1000),
    "graph": (graph, [512, 1024, 2048, 4096, 8192], 4096),
    "indirect": (indirect, [500, 1000, 2000, 4000, 8000, 16000], 4000),
    "weak": (weak, [125, 250, 500, 1000, 8000], 1000),
    "relocations": (relocations, [100, 200, 400, 800, 6400], 800),
    "shared": (shared, [1000, 2000, 4000, 8000, 64000], 8000),
    "constants": (constants, [1000, 2000, 4000, 8000, 64000], 8000),
    "debug": (debug, [125, 250, 500, 1000, 8000], 1000),
    "zstd": (zstd, [125, 250, 500, 1000, 8000], 1000),
    "lz4": (lz4, [125, 250, 500, 1000, 8000], 1000),
    "archive": (archive, [250, 500, 1000, 2000, 16000], 2000),
    "textures": (textures, [1000, 2000, 4000, 8000, 64000], 8000),
    "variables": (variables, [10000, 20000, 40000, 80000, 640000], 80000),
    "data": (data, [4, 8, 16, 32, 256], 32),
}
