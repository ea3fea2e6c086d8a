# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wheel.py SOURCE FOLDER: makes the wheel of FOLDER/prefix twice, tells about it, and unpacks it into FOLDER/site."""

import base64
import configparser
import hashlib
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

source, folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(source / "packaging"))
import wheel  # noqa: E402

made = []
for name, umask in (("one", 0o022), ("another", 0o077)):
    os.umask(umask)
    prefix, out = folder / name / "prefix", folder / name
    shutil.copytree(folder / "prefix", prefix)  # Other times, another folder.
    made.append(wheel.make_wheel(prefix, "1.2.3", 1700000000, out, level=1))
print("name:", made[0].name)
print("same bytes:", made[0].read_bytes() == made[1].read_bytes())

os.umask(0o022)
with zipfile.ZipFile(made[0]) as archive:
    names = archive.namelist()
    record, = (name for name in names if name.endswith("/RECORD"))
    rows = [row.rsplit(",", 2) for row in archive.read(record).decode().splitlines()]
    wrong = set(names) ^ {row[0] for row in rows}
    for name, digest, size in rows:
        data = archive.read(name)
        told = f"sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')}"
        if name != record and (digest, size) != (told, str(len(data))):
            wrong.add(name)
    print(f"record: {len(rows)} files, {len(wrong)} wrong")
    nvidia = [name for name in names if re.search(r"/(nvlink|fatbinary|nvcc|ptxas|cuobjdump|nvprune)$", name)]
    print("names of NVIDIA's:", *nvidia or ["none"])
    print("libraries:", *sorted(os.path.basename(name) for name in names if re.search(r"\.so(\.|$)", name)))
    scripts = configparser.ConfigParser(delimiters="=")
    scripts.optionxform = str
    scripts.read_string(archive.read(record.replace("RECORD", "entry_points.txt")).decode())
    print("commands:", *sorted(scripts["console_scripts"]))
    print("names the source:", *[name for name in names if str(source).encode() in archive.read(name)] or ["none"])
    for entry in archive.infolist():  # As pip does it, which keeps who may run a file.
        archive.extract(entry, folder / "site")
        (folder / "site" / entry.filename).chmod(entry.external_attr >> 16 & 0o777)
