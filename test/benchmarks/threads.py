"""threads.py LINKER CACHE FAMILY:SIZE:ARCH...: links each with 1, 2 and 8 threads;
the output must not depend on that. So that the test can't pass because nothing runs
in parallel, the inputs must be large enough for threads."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
from inputs import Inputs  # noqa: E402

LARGE_LINK_BYTES = 2 << 20
linker, cache, *links = sys.argv[1:]
for link in links:
    name, size, arch = link.split(":")
    cubins = Inputs(pathlib.Path(cache), arch, quiet=True).get(name, int(size))
    assert sum(cubin.stat().st_size for cubin in cubins) > LARGE_LINK_BYTES, link
    outputs = []
    for threads in (1, 2, 8, 8):
        output = pathlib.Path(cache) / "output"
        subprocess.run([linker, f"-arch={arch}", *cubins, "-o", output, f"--threads={threads}"],
                       check=True)
        outputs.append(output.read_bytes())
    equal = all(contents == outputs[0] for contents in outputs)
    print(link, "equal" if equal else "DIFFERENT")
