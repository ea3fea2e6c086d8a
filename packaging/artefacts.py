# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian packages and tar files of folders into which a build was installed."""

import gzip
import hashlib
import io
import os
import re
import subprocess
import tarfile
from pathlib import Path

# One for each component of the installation. DESCRIPTION: a line, and a text below.
PACKAGES = {
    "linker": {
        "Package": "lld-cuda", "Depends": "libc6", "Suggests": "lld-cuda-tools, lld-cuda-lto, liblld-cuda-dev",
        "summary": "linker for CUDA device code, in place of nvlink",
        "text": ["Resolves the calls and variables that CUDA device code of one file has of", "another, as NVIDIA's nvlink does, for builds with nvcc and clang.",
                 "\"lld-cuda --run make\" runs a build with it, without a change."]},
    "tools": {
        "Package": "lld-cuda-tools", "Depends": "python3, lld-cuda (= {version})",
        "summary": "look into CUDA device code, check it, measure it, shorten it",
        "text": ["cubin-dump, cubin-diff, cubin-size, cubin-check and cubin-prune read cubins,", "fatbins, objects, archives, libraries and wheels; reproducer runs links again",
                 "that somebody has packed."]},
    "lto": {
        "Package": "lld-cuda-lto", "Depends": "{libc}, lld-cuda (= {version})",
        "summary": "link-time optimization for lld-cuda",
        "text": ["Compiles LLVM's bitcode, and NVIDIA's LTO IR by NVIDIA's libnvJitLink, which", "isn't part of this package. The linker starts it when an input needs it."]},
    "lib": {
        "Package": "liblld-cuda0", "Section": "libs", "Depends": "{libc}",
        "summary": "linker for CUDA device code, for programs in C and others",
        "text": ["Links CUDA device code in a program, as compilers do at run time. The library", "needs nothing but glibc."]},
    "nvjitlink": {
        "Package": "lld-cuda-nvjitlink", "Section": "libs", "Depends": "{libc}, liblld-cuda0 (= {version})",
        "summary": "linker for CUDA device code, in place of libnvJitLink",
        "text": ["Libraries with the interface of NVIDIA's libnvJitLink, for programs as they", "are, in a folder of their own: nothing takes them for NVIDIA's by accident."]},
    "dev": {
        "Package": "liblld-cuda-dev", "Section": "libdevel",
        "Depends": "llvm-{llvm}-dev, zlib1g-dev, liblz4-dev, libzstd-dev, lld-cuda (= {version}), liblld-cuda0 (= {version})",
        "summary": "linker for CUDA device code, as a library",
        "text": ["Headers and static libraries of lld-cuda, for programs that link CUDA device", "code by themselves, with a package for CMake and a file for pkg-config."]},
}

# What is linked to the system's C library.
DYNAMIC = {"lto": "usr/bin/lld-cuda-lto", "lib": "usr/lib/liblld-cuda.so.0",
           "nvjitlink": "usr/lib/lld-cuda/nvjitlink/libnvJitLink.so.13"}

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: lld-cuda
Comment: The programs hold code of LLVM, zlib, LZ4, Zstandard, the GNU C library and
 GCC's run-time libraries. Their notices are in
 /usr/share/doc/lld-cuda/THIRD_PARTY_NOTICES.txt, of the package lld-cuda.

Files: *
Copyright: 2026, the lld-cuda developers
License: Apache-2.0 with LLVM exception
 On Debian systems the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.
 .
{exception}
"""

# Where lintian's rules for Debian's own archive don't fit.
ALL = ["initial-upload-closes-no-bugs"]
STATIC = ALL + ["statically-linked-binary", "embedded-library"]
OVERRIDES = {
    "lld-cuda": STATIC + [
        "arch-dependent-file-in-usr-share", "binary-from-other-architecture", "unstripped-binary-or-object",  # device code
        "extra-license-file", "wrong-name-for-upstream-changelog",  # README.md leads to them
        "library-not-linked-against-libc",  # what --run loads goes into programs of every system
    ],
    "lld-cuda-tools": STATIC + ["shared-library-lacks-prerequisites"],  # a program that may be loaded anywhere
    "lld-cuda-lto": ALL + ["embedded-library"],
    "liblld-cuda0": ALL + ["embedded-library", "no-symbols-control-file"],
    "lld-cuda-nvjitlink": ALL + ["embedded-library", "custom-library-search-path", "no-symbols-control-file"],
    "liblld-cuda-dev": ALL + ["pkg-config-unavailable-for-cross-compilation"],
}


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def output_of(*words):
    return run(*words, capture_output=True, text=True).stdout


def squeeze(path, data):
    """A file compressed by gzip, without a time or a name in it."""
    with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as zipped:
        zipped.write(data)


def needed_libc(program):
    """libc6 with the newest version of a symbol that the program takes from it."""
    versions = re.findall(r"GLIBC_([\d.]+)", output_of("readelf", "-W", "--version-info", program))
    newest = max(versions, key=lambda version: [int(part) for part in version.split(".")])
    return f"libc6 (>= {newest})"


def llvm_of(tree):
    """The major version of the LLVM that the libraries were built with."""
    return re.search(r"find_dependency\(LLVM (\d+)\.", (tree / "usr/lib/cmake/LldCuda/LldCudaConfig.cmake").read_text())[1]


class Release:
    """What all artefacts have in common."""

    def __init__(self, source, version, epoch, maintainer, machine=None):
        self.source, self.version, self.epoch, self.maintainer = source, version, epoch, maintainer
        self.machine = machine or output_of("uname", "-m").strip()
        self.architecture = {"x86_64": "amd64", "aarch64": "arm64"}[self.machine]

    def control(self, component, tree):
        fields = PACKAGES[component]
        libc = needed_libc(tree / DYNAMIC[component]) if component in DYNAMIC else ""
        llvm = llvm_of(tree) if component == "dev" else ""
        size = sum((path.lstat().st_size + 1023) // 1024 for path in tree.rglob("*") if not path.is_dir())
        lines = [f"Package: {fields['Package']}", f"Version: {self.version}-1", f"Architecture: {self.architecture}",
                 f"Maintainer: {self.maintainer}", f"Installed-Size: {size}", f"Section: {fields.get('Section', 'devel')}",
                 "Priority: optional"]
        for name in ("Depends", "Suggests"):
            if name in fields:
                lines.append(f"{name}: {fields[name].format(version=self.version + '-1', libc=libc, llvm=llvm)}")
        lines += [f"Description: {fields['summary']}"] + [f" {line}" for line in fields["text"]]
        return "\n".join(lines) + "\n"

    def add_debian_files(self, component, tree):
        """Documents as Debian wants them, and sums of all files."""
        name = PACKAGES[component]["Package"]
        documents = tree / "usr/share/doc" / name
        documents.mkdir(parents=True, exist_ok=True)
        text = (self.source / "LICENSES/LLVM-exception.txt").read_text().strip().splitlines()[2:]
        exception = "\n".join(f" {line}" if line.strip() else " ." for line in text)
        (documents / "copyright").write_text(COPYRIGHT.format(exception=exception))
        day = output_of("date", "-u", "-R", "-d", f"@{self.epoch}").strip()
        squeeze(documents / "changelog.Debian.gz", (
            f"{name} ({self.version}-1) unstable; urgency=medium\n\n  * What is new: /usr/share/doc/lld-cuda/CHANGELOG.md\n\n"
            f" -- {self.maintainer}  {day}\n").encode())
        for path in tree.glob("usr/share/man/man1/*.1"):
            squeeze(f"{path}.gz", path.read_bytes())
            path.unlink()
        if (functions := tree / "usr/share/zsh/site-functions").exists():  # that's the administrator's in Debian
            functions.rename(functions.with_name("vendor-completions"))
        overrides = tree / "usr/share/lintian/overrides"
        overrides.mkdir(parents=True)
        (overrides / name).write_text("# Programs are static on purpose: one for all systems.\n"
                                      + "".join(f"{name}: {tag}\n" for tag in OVERRIDES[name]))

    def deb(self, component, tree, folder):
        self.add_debian_files(component, tree)
        debian = tree / "DEBIAN"
        debian.mkdir()
        files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink() and debian not in path.parents)
        (debian / "md5sums").write_text("".join(
            f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files))
        (debian / "control").write_text(self.control(component, tree))
        if component == "lib":
            (debian / "triggers").write_text("activate-noawait ldconfig\n")
            (debian / "shlibs").write_text("liblld-cuda 0 liblld-cuda0\n")
        plain_modes(tree)
        target = folder / f"{PACKAGES[component]['Package']}_{self.version}-1_{self.architecture}.deb"
        run("dpkg-deb", "--root-owner-group", "-Zxz", "-z9", "--threads-max=1", "--build", tree, target, stdout=subprocess.DEVNULL,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(self.epoch)})
        return target

    def tar(self, name, tree, folder):
        """The tree's usr as one folder; owners, times and order don't depend on who makes it, and when."""
        target = folder / f"{name}-{self.version}-linux-{self.machine}.tar.gz"
        root = f"lld-cuda-{self.version}"
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in sorted((tree / "usr").rglob("*")):
                entry = archive.gettarinfo(path, f"{root}/{path.relative_to(tree / 'usr')}")
                entry.uid = entry.gid = 0
                entry.uname = entry.gname = "root"
                entry.mtime = self.epoch
                with open(path, "rb") if entry.isreg() else io.BytesIO() as file:
                    archive.addfile(entry, file if entry.isreg() else None)
        squeeze(target, data.getvalue())  # xz isn't in every system
        return target


def plain_modes(tree):
    """Whatever the umask was."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def files_in(deb):
    """Paths of a package's files, without folders."""
    listing = output_of("dpkg-deb", "--contents", deb)
    return {line.split(None, 5)[5].split(" -> ")[0] for line in listing.splitlines() if not line.startswith("d")}
