# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a zip file of a folder.

Usage: zip.py FILE FOLDER KIND

KIND: stored: nothing is compressed. zip64: sizes have 64 bits. crc: each
member's checksum is wrong but that of archives.
"""

import os
import sys
import zipfile

path, folder, kind = sys.argv[1:]
if kind == "zip64":
    zipfile.ZIP64_LIMIT = 10
method = zipfile.ZIP_STORED if kind == "stored" else zipfile.ZIP_DEFLATED
with zipfile.ZipFile(path, "w", method) as out:
    for directory, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(directory, name)
            with out.open(os.path.relpath(full, folder), "w", force_zip64=kind == "zip64") as member:
                member.write(open(full, "rb").read())
    if kind == "crc":
        for info in out.infolist():
            if not info.filename.endswith(".a"):
                info.CRC ^= 1
