# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile links whose damage is fuzz/StructureMutator's: the corpus's, plain and in containers."""

import importlib.machinery
import importlib.util
import random
import re
import subprocess

import cases
import options


def bases():
    """Intact links, with {name: bytes}; those of scripts/mutate."""
    loader = importlib.machinery.SourceFileLoader("mutate", str(cases.ROOT / "scripts" / "mutate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
    loader.exec_module(module)
    return [b for b in module.corpus_bases() if re.search(r"-arch=sm_", " ".join(b.arguments))]


class Generator:
    """make(seed) gives a Case."""

    def __init__(self, mutator):
        self.bases = {}
        for base in bases():
            self.bases.setdefault(base.family, []).append(base)
        self.weights = {"cubin": 7, "mercury": 6, "fatbin": 4, "object": 3, "archive": 2}
        self.mutator = subprocess.Popen([mutator], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def mutate(self, data, seed, count):
        self.mutator.stdin.write(b"%d %d %d\n" % (seed, count, len(data)) + data)
        self.mutator.stdin.flush()
        done, size = map(int, self.mutator.stdout.readline().split())
        return self.mutator.stdout.read(size), done

    def make(self, seed):
        choose = random.Random(f"structure {seed}")
        family = choose.choices(list(self.weights), self.weights.values())[0]
        base = choose.choice(self.bases[family])
        case = cases.Case(family)
        for name, data in base.files.items():
            case.add(name, data)
        name = choose.choice(sorted(base.files))
        case.files[name], done = self.mutate(base.files[name], choose.getrandbits(32),
                                             choose.choice([1, 1, 1, 2, 3]))
        case.notes += [base.name, name, f"{done} mutations"]
        architecture = re.search(r"-arch=(\S+)", " ".join(base.arguments))[1]
        named = [a for a in base.arguments if a in base.files or re.match(r"-[lL]", a)]
        case.program, case.arguments, case.outputs = options.command(choose, named, architecture)
        return case
