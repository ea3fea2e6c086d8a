# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do the corpus's links give the same in any number of threads?

    parallel.py LINKER WORK SEED TEST...

Runs each link that the tests name (link.py) twice: in one thread, and in eight
that get a part of every loop however small it is, in an order that SEED and the
link decide. Outputs, messages and exit status have to be the same.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import link as corpus


def differences(one, linker, work, seed):
    """What isn't the same in several threads."""
    release = [f"--nvlink-release={one.release}"] if one.release else []
    alone = one.run(linker + release + ["--threads=1"], Path(work) / "alone")
    shared = one.run(linker + release + ["--threads=8", "--min-parallel=0",
                                         f"--shuffle-threads={seed}"], Path(work) / "shared")
    return sorted(name for name in {*alone, *shared} if alone.get(name) != shared.get(name))


def main():
    linker, work, seed, *tests = sys.argv[1:]
    links = []
    for test in tests:
        for one in corpus.links_of(test):
            one.name = f"{Path(test).stem}.{one.name}"  # The folder of the link.
            links.append(one)
    seeds = range(int(seed), int(seed) + len(links))
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda one, seed: differences(one, linker.split(), work, seed),
                              links, seeds))
    for one, seed, names in zip(links, seeds, found):
        if names:
            print(f"{one.name}, --shuffle-threads={seed}: {', '.join(names)}")
    failed = sum(map(bool, found))
    print(f"{len(links) - failed} of {len(links)} links are the same in several threads")
    return 1 if failed or not links else 0


if __name__ == "__main__":
    sys.exit(main())
