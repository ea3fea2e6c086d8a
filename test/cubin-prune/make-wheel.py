# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a wheel.

    make-wheel.py NAME-VERSION-TAGS.whl FILE=PATH...    FILE as a member, PATH where its contents are

    make-wheel.py --check WHEEL                         fails unless all members have the hashes that RECORD says
"""

import base64
import csv
import hashlib
import sys
import zipfile


def describe(data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}", str(len(data))


if sys.argv[1] == "--check":
    with zipfile.ZipFile(sys.argv[2]) as wheel:
        record, = (name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
        rows = {row[0]: tuple(row[1:]) for row in csv.reader(wheel.read(record).decode().splitlines())}
        assert set(rows) == set(wheel.namelist())
        for name in wheel.namelist():
            assert name == record or rows[name] == describe(wheel.read(name)), name
        print(len(rows), "members as recorded")
    sys.exit()
name, version = sys.argv[1].split("-")[:2]
info = f"{name}-{version}.dist-info"
members = {member: open(path, "rb").read() for member, path in (word.split("=") for word in sys.argv[2:])}
members[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
members[f"{info}/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: make-wheel\nRoot-Is-Purelib: false\nTag: " +
                            "-".join(sys.argv[1].removesuffix(".whl").split("-")[2:]).encode() + b"\n")
record = "".join(f"{member},{','.join(describe(data))}\n" for member, data in members.items())
members[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as out:
    for member, data in members.items():
        out.writestr(member, data)
