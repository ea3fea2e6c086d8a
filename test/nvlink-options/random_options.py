# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_options.py OURS NVLINK INPUTS WORK SEED COUNT

Links with random options in random order and spelling, and compares all that
the two linkers leave: exit status, messages, output, register file. INPUTS is
the corpus's; kernels and functions are calls-*.sm_90.cubin.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

# (long name, short name, values or None for a flag)
OPTIONS = [
    ("suppress-stack-size-warning", "suppress-stack-size-warning", None),
    ("suppress-arch-warning", "suppress-arch-warning", None),
    ("machine", "m", ["64", "0x40"]),
    ("library", "l", ["foo", "foo,bar", "'a'"]),
    ("library-path", "L", ["/x", "/x,/y", '"/a,b",c', " . "]),
    ("verbose", "v", None),
    ("warning-as-error", "Werror", None),
    ("disable-infos", "disable-infos", None),
    ("keep-system-libraries", "keep-system-libraries", None),
    ("kernels-used", "kernels-used", ["k", "k,z", ""]),
    ("variables-used", "variables-used", ["q"]),
    ("cpu-arch", "cpu-arch", ["X86_64", "AARCH64"]),
    ("report-arch", "report-arch", None),
    ("time", "time", ["t.csv", "./t.csv"]),
    ("extra-warnings", "extrawarn", None),
    ("nvvmpath", "nvvmpath", ["/x", "./a b", ""]),
    ("split-compile", "split-compile", ["3"]),
    ("split-compile-extended", "split-compile-extended", ["2", "02"]),
    ("Xptxas", "Xptxas", ["-v", "-O1,-v"]),
    ("Xnvvm", "Xnvvm", ["-q"]),
    ("maxrregcount", "maxrregcount", ["32", "0x20", "-1", " 5"]),
    ("use-host-info", "use-host-info", None),
    ("ignore-host-info", "ignore-host-info", None),
    ("device-stack-protector", "device-stack-protector", ["true", "false"]),
    ("register-link-binaries", None, ["reg.c", "./reg.c"]),
    ("host-ccbin", "host-ccbin", ["gcc"]),
    ("verbose-tkinfo", "verbose-tkinfo", ["true", "false"]),
    ("options-file", "optf", ["options"]),
    ("debug", "g", None),
]
LEFT = ["out.cubin", "reg.c", "t.csv"]


def random_arguments(rng):
    words = [["-arch", "sm_90"], ["-o", rng.choice(["out.cubin", "./out.cubin"])]]
    share = rng.choice([0.05, 0.2, 0.4])
    for long_name, short_name, values in OPTIONS:
        while rng.random() < share:
            short = short_name and rng.random() < 0.5
            name = "-" + short_name if short else "--" + long_name
            if values is None:
                words.append([name])
            elif rng.random() < 0.5:
                words.append([name, rng.choice(values)])
            else:
                words.append([name + "=" + rng.choice(values)])
    rng.shuffle(words)
    inputs = ["calls-kernel.sm_90.cubin", "./calls-function.sm_90.cubin"]
    if rng.random() < 0.3:
        inputs.reverse()
    return sum(words, []) + inputs[: rng.choice([1, 2, 2])]


def run(linker, arguments, work):
    for name in LEFT:
        (work / name).unlink(missing_ok=True)
    done = subprocess.run(linker + arguments, cwd=work, capture_output=True, timeout=60)
    left = {name: (work / name).read_bytes() for name in LEFT if (work / name).exists()}
    return {"status": done.returncode, "messages": done.stderr, **left}


def main():
    ours, nvlink, inputs, work, seed, count = sys.argv[1:]
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    os.environ.pop("LIBRARY_PATH", None)
    (work / "options").write_text('-nvvmpath "/x"\n-v')
    for path in Path(inputs).glob("calls/calls-*.sm_90.cubin"):
        (work / path.name).write_bytes(path.read_bytes())
    rng = random.Random(int(seed))
    bad = 0
    for _ in range(int(count)):
        arguments = random_arguments(rng)
        expected = run([nvlink], arguments, work)
        got = run([ours, "--nvlink-note"], arguments, work)
        if got != expected:
            bad += 1
            print(*map(repr, arguments))
            for key in expected.keys() | got.keys():
                if expected.get(key) != got.get(key):
                    print("  ", key, expected.get(key), got.get(key), sep="\n    ")
    print(f"{int(count) - bad} of {count} links agree")
    sys.exit(bad != 0)


main()
