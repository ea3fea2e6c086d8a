# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that the benchmarks link, as PTX. A family grows with `size`
in the one respect that its name tells."""

import random

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


def function(name, callees=(), linkage=".visible", add=1):
    calls = "".join(CALL.format(callee) for callee in callees)
    return (f"{linkage} .func (.param .b32 r) {name} (.param .b32 x)\n{{\n"
            f"  .reg .b32 %r<3>;\n  ld.param.b32 %r1, [x];\n  xor.b32 %r1, %r1, {add};\n"
            f"{calls}  st.param.b32 [r], %r1;\n  ret;\n}}\n")


def entry(name, callees=()):
    calls = "".join(CALL.format(callee) for callee in callees)
    return (f".visible .entry {name} (.param .u64 out)\n{{\n  .reg .b64 %rd<2>;\n"
            f"  .reg .b32 %r<3>;\n  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %tid.x;\n"
            f"{calls}  st.global.u32 [%rd1], %r1;\n  ret;\n}}\n")


def module(*parts, declare=()):
    return HEADER + "".join(DECLARE.format(name) for name in declare) + "".join(parts)


def tiny(size):
    """Two small files: an entry that calls a function."""
    return [module(entry("k", ["f"]), declare=["f"]), module(function("f"))]


def objects(size):
    """Many files of one function each, all called."""
    names = [f"function_number_{i}" for i in range(size)]
    roots = [names[i:i + 50] for i in range(0, size, 50)]
    return ([module(*(entry(f"entry_{i}", part) for i, part in enumerate(roots)), declare=names)] +
            [module(function(name, add=i)) for i, name in enumerate(names)])


def kernels(size):
    """Many entries, 50 a file, that share a function."""
    return ([module(function("shared_function"))] +
            [module(*(entry(f"entry_{i}", ["shared_function"]) for i in range(at, at + 50)),
                    declare=["shared_function"]) for at in range(0, size, 50)])


def chain(size):
    """A chain of calls, 50 functions a file, and as many entries that call into it."""
    names = [f"link_{i}" for i in range(size)]
    files = []
    for at in range(0, size, 50):
        parts, callees = [], []
        for i in range(at, min(at + 50, size)):
            callees = names[i + 1:i + 2]
            parts.append(function(names[i], callees, add=i) + entry(f"entry_{i}", [names[i]]))
        parts.reverse()  # a function stands before its callers
        files.append(module(*parts, declare=callees))
    return files


def graph(size):
    """A random call graph with cycles, 50 functions a file, and a tenth as many entries."""
    rng = random.Random(1)
    names = [f"node_{i}" for i in range(size)]
    files = []
    for at in range(0, size, 50):
        here = names[at:at + 50]
        callees = {name: rng.sample(names, rng.randrange(4)) for name in here}
        roots = [rng.sample(names, 2) for _ in range(max(1, len(here) // 10))]
        used = {c for cs in [*callees.values(), *roots] for c in cs}
        parts = [f".visible .func (.param .b32 r) {name} (.param .b32 x);\n" for name in here]
        parts += [function(name, callees[name], add=i) for i, name in enumerate(here)]
        parts += [entry(f"entry_{at}_{i}", root) for i, root in enumerate(roots)]
        files.append(module(*parts, declare=sorted(used - set(here))))
    return files


def weak(size):
    """The same 20 weak functions in every file, as C++ templates make them."""
    names = [f"_Z8instanceILi{i}EEii" for i in range(20)]
    return [module(*(function(name, linkage=".weak", add=i) for i, name in enumerate(names)),
                   entry(f"entry_{at}", names[:5])) for at in range(size)]


def variables(size):
    """Many global and constant variables, 100 a file, all used."""
    files = []
    for at in range(0, size, 100):
        names = [f"variable_{i}" for i in range(at, at + 100)]
        parts = [f".visible .global .align {4 << (i % 3)} .b8 {name}[{8 + 4 * (i % 9)}] = {{{i % 100}}};\n"
                 for i, name in enumerate(names)]
        parts.append(f".visible .const .align 4 .u32 constant_{at} = {at};\n")
        body = "".join(f"  ld.global.u32 %r2, [{name}];\n  add.u32 %r1, %r1, %r2;\n" for name in names)
        parts.append(f".visible .entry entry_{at} (.param .u64 out)\n{{\n  .reg .b64 %rd<2>;\n"
                     f"  .reg .b32 %r<3>;\n  ld.param.u64 %rd1, [out];\n"
                     f"  ld.const.u32 %r1, [constant_{at}];\n{body}"
                     f"  st.global.u32 [%rd1], %r1;\n  ret;\n}}\n")
        files.append(module(*parts))
    return files


def data(size):
    """Few files with `size` KiB of initialised variables each: reading and writing."""
    rng = random.Random(2)
    return [module(f".visible .global .align 16 .b8 block_{i}[{size * 1024}] = {{"
                   + ", ".join(str(rng.randrange(256)) for _ in range(256)) + "};\n"
                   f".visible .global .align 8 .u64 last_{i} = 1;\n",
                   f".visible .entry entry_{i} (.param .u64 out)\n{{\n  .reg .b64 %rd<3>;\n"
                   f"  ld.param.u64 %rd1, [out];\n  ld.global.u64 %rd2, [block_{i}+64];\n"
                   f"  st.global.u64 [%rd1], %rd2;\n  ret;\n}}\n") for i in range(4)]


#: name -> (generator, size)
FAMILIES = {
    "tiny": (tiny, 2),
    "objects": (objects, 500),
    "kernels": (kernels, 2000),
    "chain": (chain, 400),
    "graph": (graph, 1500),
    "weak": (weak, 300),
    "variables": (variables, 5000),
    "data": (data, 2500),
}
