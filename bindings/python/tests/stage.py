# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stage.py BUILD FOLDER: the package as it would be installed, of a build's programs, in FOLDER."""

import shutil
import sys
from pathlib import Path

build, folder = Path(sys.argv[1]), Path(sys.argv[2])
package = folder / "lld_cuda"
shutil.rmtree(package, ignore_errors=True)
shutil.copytree(Path(__file__).resolve().parent.parent / "src" / "lld_cuda", package, ignore=shutil.ignore_patterns("__pycache__", "_prefix"))
(package / "_prefix").symlink_to(build.resolve())  # It has bin and lib as an installation has.
