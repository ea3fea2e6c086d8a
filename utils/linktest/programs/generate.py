# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases by architecture, seed, features and mix."""

import zlib
from random import Random

from links.case import Case

from . import code
from .architectures import Architecture
from .assemble import assemble
from .draft import Draft
from .features import FEATURES, content_features

MIXES = ("auto", "single", "random", "all")

# Of `auto`: every so many cases is one that must be rejected, and every so many needs nvcc.
REJECTED_EVERY, SLOW_EVERY = 8, 16


class Unavailable(Exception):
    """The features can't be had on the architecture or with these tools."""


def expand(names: list[str]) -> list[str]:
    """Names of features, from names of features and topics."""
    result = []
    for name in names:
        of_topic = [f.name for f in FEATURES.values() if f.topic == name]
        if not of_topic and name not in FEATURES:
            raise ValueError(f"there is no feature '{name}'; `linktest list` names them")
        result += of_topic or [name]
    return list(dict.fromkeys(result))


def usable(names: list[str], arch: Architecture, tools: set[str]) -> list[str]:
    """Those of the features that an architecture and the tools allow."""
    return [n for n in names if FEATURES[n].available(arch) and tools.issuperset(FEATURES[n].needs)]


def turn(names: list[str], seed: int, arch: Architecture) -> list[str]:
    """One feature after the other; another one first on each architecture."""
    if not names:
        raise Unavailable
    return [names[(seed + zlib.crc32(arch.name.encode())) % len(names)]]


def choose(seed: int, arch: Architecture, asked: list[str], mix: str, tools: set[str]) -> list[str]:
    """The features of a case, in the order in which they are applied."""
    rng = Random(f"features {arch.name} {seed} {mix} {' '.join(asked)}")
    names = usable(asked or list(FEATURES), arch, tools)
    mixing = [n for n in names if FEATURES[n].mixes]
    if mix == "all":
        chosen = names if asked else content_features()
    elif mix == "single":
        chosen = turn(names, seed, arch)
    elif mix == "random":
        chosen = rng.sample(mixing or names, rng.randrange(1, min(7, len(mixing or names) + 1)))
    elif asked:
        chosen = turn(names, seed // 2, arch) if seed % 2 == 0 else choose(seed, arch, asked, "random", tools)
    else:
        chosen = automatic(seed, arch, names, mixing, tools, rng)
    chosen = usable(chosen, arch, tools)
    if not chosen:
        raise Unavailable
    excluded = {other for name in chosen for other in FEATURES[name].excludes}
    return [name for name in FEATURES if name in chosen and name not in excluded]


def automatic(seed: int, arch: Architecture, names: list[str], mixing: list[str], tools: set[str], rng: Random) -> list[str]:
    """A bit of everything."""
    if seed % REJECTED_EVERY == REJECTED_EVERY - 1:
        return turn([n for n in names if FEATURES[n].topic == "rejected"], seed // REJECTED_EVERY, arch)
    slow = [n for n in names if FEATURES[n].is_slow]
    if slow and seed % SLOW_EVERY == SLOW_EVERY - 2:
        return turn(slow, seed // SLOW_EVERY, arch)
    if seed % 2:
        return rng.sample(mixing, min(len(mixing), rng.randrange(2, 7)))
    quick = [n for n in names if not FEATURES[n].is_slow and FEATURES[n].topic != "rejected"]
    return turn(quick, seed // 2, arch)


def start(draft: Draft) -> None:
    """What every program has: some modules with kernels and calls."""
    # What doesn't fit together takes two modules.
    fewest = 2 if any(FEATURES[name].topic == "rejected" for name in draft.features) else 1
    for _ in range(max(fewest, draft.rng.choice([1, 2, 2, 3, 3, 4]))):
        module = draft.new_module()
        for _ in range(draft.rng.choice([1, 1, 2])):
            draft.new_kernel(module)
    for _ in range(draft.rng.randrange(3)):
        home = draft.module()
        function = draft.new_function(draft.other(home))
        draft.add(draft.caller(module=home, name=function.name), code.call(function))


def make_case(arch: str, seed: int, features: list[str], compilers: int = 1) -> Case:
    """The case that these words mean; the same every time."""
    rng = Random(f"case {arch} {seed} {' '.join(features)}")
    draft = Draft(arch, rng, features, compilers)
    start(draft)
    for name in features:
        FEATURES[name].apply(draft)
    return assemble(draft, f"{arch}-{seed:05}-{'+'.join(features)[:60]}", seed)
