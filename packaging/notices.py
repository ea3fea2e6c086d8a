#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of other projects is in the programs, and the notices that their licenses ask for.

usage: notices.py check FILE MAPS           has FILE (THIRD_PARTY_NOTICES.txt) a section for all that is linked?
       notices.py sbom VERSION MAPS OUT     a bill of materials in SPDX 2.3 (JSON)

MAPS is the folder "maps" of a build: for each program the linker's list of what it took
from which archive.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent

# archives: names of static libraries (a pattern); members: which of their members alone (a
# pattern) are somebody else's; not_always: only some builds have it.
Component = namedtuple("Component", "name license home archives members not_always", defaults=[False])

COMPONENTS = [
    Component("LLVM", "Apache-2.0 WITH LLVM-exception", "https://llvm.org/", r"libLLVM\w+", None),
    Component("OpenBSD regex, in LLVM", "BSD-3-Clause", "https://llvm.org/", "libLLVMSupport", r"reg(comp|error|exec|free)\."),
    Component("OpenBSD strlcpy, in LLVM", "ISC", "https://llvm.org/", "libLLVMSupport", r"regstrlcpy\."),
    Component("xxHash, in LLVM", "BSD-2-Clause", "https://xxhash.com/", "libLLVMSupport", r"xxhash\."),
    Component("Unicode conversions, in LLVM", "Unicode-DFS-2015", "https://www.unicode.org/", "libLLVMSupport",
              r"(ConvertUTF|UnicodeCaseFold)\."),
    Component("MD5, in LLVM", "LicenseRef-public-domain-md5", "https://openwall.info/", "libLLVMSupport", r"MD5\."),
    Component("SHA-1, in LLVM", "LicenseRef-public-domain-sha1", "https://llvm.org/", "libLLVMSupport", r"SHA1\."),
    Component("BLAKE3, in LLVM", "CC0-1.0 OR Apache-2.0", "https://github.com/BLAKE3-team/BLAKE3", "libLLVMSupport",
              r"blake3"),
    Component("zlib", "Zlib", "https://zlib.net/", "libz", None),
    # Its xxHash is a library of its own in some systems.
    Component("LZ4", "BSD-2-Clause", "https://lz4.org/", "liblz4|libxxhash", None),
    Component("Zstandard", "BSD-3-Clause", "https://facebook.github.io/zstd/", "libzstd", None),
    # LLVM 24 and later decompress with it.
    Component("liblzma of XZ Utils", "0BSD", "https://tukaani.org/xz/", "liblzma", None, not_always=True),
    Component("GNU C Library", "LGPL-2.1-or-later", "https://www.gnu.org/software/libc/",
              r"lib(c|c_nonshared|m|m-[\d.]+|mvec|pthread|dl|rt|util|anl|resolv|nss_\w+)", None),
    Component("GCC's run-time libraries", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org/",
              r"lib(stdc\+\+|supc\+\+|gcc|gcc_eh|atomic)", None),
]

OWN = re.compile(r"liblldCuda\w*")


def heading(component):
    return f"{component.name} ({component.license})"


def section(component, text):
    """What stands below the component's heading, which is between two lines of "="."""
    start = text.index(f"\n{heading(component)}\n{component.home}\n====")
    return text[text.index("\n\n", start) + 2:].split("\n\n\n====")[0] + "\n"


def members_of(map_file):
    """Pairs (archive, member), as GNU's linkers and lld write them. Sections that were left out
    don't count, but the members that had others."""
    found = set()
    with open(map_file, errors="replace") as file:
        for line in file:
            if match := re.match(r"(\S+\.a)\(([^)]+)\)", line):  # in GNU's list of archive members
                found.add((match[1], match[2]))
            elif match := re.search(r"^[0-9a-f ]+\s(\S+\.a)\(([^)]+)\):", line):  # in lld's list of sections
                found.add((match[1], match[2]))
            elif line.startswith("Discarded input sections"):
                break
    return found


def used_by(maps):
    """For each component the programs that have code of it, and the archives."""
    users = {component.name: {} for component in COMPONENTS}
    strangers = set()
    files = sorted(maps.glob("*.map"))
    for map_file in files:
        for archive, member in members_of(map_file):
            name = Path(archive).name[:-2]
            if OWN.fullmatch(name):
                continue
            owners = [c for c in COMPONENTS if re.fullmatch(c.archives, name) and (not c.members or re.match(c.members, member))]
            if not owners:
                strangers.add(f"{map_file.name}: {archive}({member})")
            for component in owners:
                users[component.name].setdefault(map_file.stem, set()).add(archive)
    return users, strangers, files


def check(path, maps):
    users, strangers, files = used_by(maps)
    text = path.read_text()
    wrong = [f"no notice for {stranger}" for stranger in sorted(strangers)]
    for component in COMPONENTS:
        if text.count(f"\n{heading(component)}\n") != 1 or text.count(f"\n  {heading(component)}\n") != 1:
            wrong.append(f"{path.name} has no section '{heading(component)}'")
        if not users[component.name] and not component.not_always:
            wrong.append(f"a notice for '{component.name}', of which nothing is linked")
    for line in wrong:
        print(line)
    print(f"{len(files)} programs and libraries, {sum(bool(user) for user in users.values())} components, {len(wrong)} mistakes")
    return bool(wrong) or not files


def installed_version(archives):
    """Versions of the Debian packages that archives are from, if dpkg knows them or scripts/sysroot unpacked them."""
    versions = set()
    for archive in map(os.path.realpath, sorted(archives)):
        root = next((folder for folder in Path(archive).parents if (folder / ".libraries").exists()), None)
        if root:
            lines = (root / ".libraries").read_text().splitlines()
            versions.update(line.rsplit(" ", 1)[1] for line in lines if line.rsplit(" ", 1)[0] == str(Path(archive).relative_to(root)))
            continue
        owner = subprocess.run(["dpkg-query", "-S", archive], capture_output=True, text=True)
        if owner.returncode == 0:
            package = owner.stdout.split(": ")[0]
            versions.add(subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True).stdout)
    return ", ".join(sorted(versions)) or "NOASSERTION"


def sbom(version, maps, out):
    users, strangers, files = used_by(maps)
    assert not strangers and files, strangers
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    packages = [{"SPDXID": "SPDXRef-lld-cuda", "name": "lld-cuda", "versionInfo": version,
                 "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "copyrightText": "the lld-cuda developers",
                 "licenseConcluded": "Apache-2.0 WITH LLVM-exception", "licenseDeclared": "Apache-2.0 WITH LLVM-exception",
                 "primaryPackagePurpose": "APPLICATION", "supplier": "Organization: the lld-cuda developers"}]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-lld-cuda")]
    for component in COMPONENTS:
        if not users[component.name]:
            continue
        key = "SPDXRef-" + re.sub(r"[^A-Za-z0-9]+", "-", component.name).strip("-")
        archives = set().union(*users[component.name].values())
        packages.append({
            "SPDXID": key, "name": component.name, "versionInfo": installed_version(archives),
            "downloadLocation": "NOASSERTION", "homepage": component.home, "filesAnalyzed": False,
            "copyrightText": "NOASSERTION", "licenseConcluded": component.license, "licenseDeclared": component.license,
            "primaryPackagePurpose": "LIBRARY", "supplier": "NOASSERTION",
            "comment": "linked statically into " + ", ".join(sorted(users[component.name]))})
        relations.append(("SPDXRef-lld-cuda", "STATIC_LINK", key))
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"lld-cuda-{version}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                         "creators": ["Organization: the lld-cuda developers", "Tool: packaging/notices.py"]},
        "packages": packages,
        "hasExtractedLicensingInfos": [
            {"licenseId": component.license, "name": component.name, "extractedText":
             section(component, (HERE / "THIRD_PARTY_NOTICES.txt").read_text())}
            for component in COMPONENTS if component.license.startswith("LicenseRef-") and users[component.name]],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}
    # A name of its own for each content, the same for the same.
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:32]
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/lld-cuda-{version}-{digest}"
    out.write_text(json.dumps(document, indent=1) + "\n")


def main():
    command, *words = sys.argv[1:]
    if command == "check":
        return check(Path(words[0]), Path(words[1]))
    if command == "sbom":
        return sbom(words[0], Path(words[1]), Path(words[2]))
    return __doc__


if __name__ == "__main__":
    sys.exit(main())
