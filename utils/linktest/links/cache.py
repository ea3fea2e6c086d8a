# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of commands, kept by what they depend on: the tool's version, the arguments, the files read.

An entry is a folder, DIR/ab/abcdef...: the written files, and `result.json` with status and text.
"""

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Result:
    status: int  # Negative: the signal that ended it. TIMEOUT: it took too long.
    text: str
    files: dict[str, bytes]  # What it wrote, of what it should write.


TIMEOUT = -1000

# Changes when entries are written otherwise, so that older ones are not found.
FORMAT = 2


def default_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "lld-cuda-linktest"


class Cache:
    def __init__(self, folder: Path | None):
        self.folder = folder

    def key(self, version: str, words: list[str], reads: dict[str, bytes]) -> str:
        digest = hashlib.sha256(json.dumps([FORMAT, version, words]).encode())
        for name, content in reads.items():
            digest.update(f"\0{name}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()

    def get(self, key: str) -> Result | None:
        if self.folder is None:
            return None
        entry = self.folder / key[:2] / key
        try:
            record = json.loads((entry / "result.json").read_text())
            files = {name: (entry / f"file{number}").read_bytes() for number, name in enumerate(record["files"])}
        except (OSError, ValueError, KeyError):
            return None
        return Result(record["status"], record["text"], files)

    def put(self, key: str, result: Result) -> None:
        """Keeps a result; other processes see all of it or nothing."""
        if self.folder is None or result.status == TIMEOUT:
            return
        entry = self.folder / key[:2] / key
        entry.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=entry.parent, prefix="new-"))
        for number, content in enumerate(result.files.values()):
            (temporary / f"file{number}").write_bytes(content)
        record = {"status": result.status, "text": result.text, "files": list(result.files)}
        (temporary / "result.json").write_text(json.dumps(record))
        try:
            temporary.rename(entry)
        except OSError:  # Somebody else was faster.
            shutil.rmtree(temporary, ignore_errors=True)
