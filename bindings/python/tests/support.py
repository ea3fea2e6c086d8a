# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that the tests use, and what several of them need."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
CORPUS = SOURCE / "test" / "corpus"
INPUTS = CORPUS / "Inputs"
EXPECTED = CORPUS / "Expected"
EXAMPLE = SOURCE / "packaging" / "example"
KERNEL, FUNCTION = EXAMPLE / "kernel.cubin", EXAMPLE / "function.cubin"


def corpus_links():
    """The links of all tests of the corpus; see test/corpus/link.py."""
    spec = importlib.util.spec_from_file_location("corpus_link", CORPUS / "link.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for test in sorted(CORPUS.glob("*.test")):
        yield from ((test, link) for link in module.links_of(test))


def run_python(code, *words, **options):
    """Another Python that imports the same package."""
    import lld_cuda

    folder = str(Path(lld_cuda.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": folder, **options.pop("env", {})}
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, env=environment, **options)


def ptxas():
    """The path of NVIDIA's assembler, or None."""
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if root and os.path.exists(os.path.join(root, "bin", "ptxas")):
            return os.path.join(root, "bin", "ptxas")
    return shutil.which("ptxas")
