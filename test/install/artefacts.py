# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""artefacts.py SOURCE FOLDER UMASK: a package and a tar file of an installation that is small.

The folder's name, the umask and the time are of this run; the artefacts must not be.
"""

import os
import sys
import time
from pathlib import Path

source, folder, umask = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3], 8)
sys.path.insert(0, str(source / "packaging"))
import artefacts  # noqa: E402

os.umask(umask)
tree = folder / "tree"
for name, text, mode in (("usr/bin/cubin-dump", "#!/bin/sh\n", 0o755), ("usr/share/man/man1/cubin-dump.1", ".TH\n", 0o600),
                         ("usr/share/zsh/site-functions/_cubin-dump", "#compdef\n", 0o664)):
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    os.utime(path, (time.time(), time.time()))
(tree / "usr/bin/dump").symlink_to("cubin-dump")
release = artefacts.Release(source, "1.2.3", 1700000000, "somebody <somebody@example.org>")
artefacts.plain_modes(tree)
release.tar("tools", tree, folder)
print(release.deb("tools", tree, folder).name)
