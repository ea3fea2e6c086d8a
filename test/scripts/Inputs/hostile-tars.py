"""Makes hostile files of --reproduce, and runs `reproducer replay` and `shrink` on
each. Nothing may be written but what the user named, and nothing of the file run.

    hostile-tars.py LINKER CUBIN PTX

"$OUT" is a folder outside of the one where a file is unpacked, which has a program
`evil` that leaves a file PWNED.
"""
import bz2
import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile

LINKER, CUBIN, PTX = sys.argv[1:]
OUT = os.path.abspath("out")
UP = "../" * 40 + OUT.lstrip("/")  # From wherever it is unpacked.
CUBIN, PTX = (open(name, "rb").read() for name in (CUBIN, PTX))

REFUSED = "trust allows it"
OUTSIDE = "outside of the folder"
LEFT_OUT = "this machine's own is used instead"

#: What follows "-arch=sm_90 a.cubin" in response.txt, other files, and what is said.
LINES = [
    # Programs and libraries.
    ("--lto -o x --nvjitlink-path=/proc/self/cwd/evil.so", {"evil.so": b"\x7fELF"}, LEFT_OUT),
    ("--lto -o x --nvjitlink-path .", {"libnvJitLink.so.13": b"\x7fELF"}, LEFT_OUT),
    ("b.ptx -o x --cuda-path=/proc/self/cwd/tk", {"tk/bin/ptxas": b"#!/bin/sh\n"}, LEFT_OUT),
    (f"b.ptx -o x --ptxas-path={OUT}/evil", {}, LEFT_OUT),
    (f"b.ptx -o x -ptxas-path={UP}/evil", {}, LEFT_OUT),
    (f"b.ptx -o x --pxtas-path={OUT}/evil", {}, LEFT_OUT),
    (f"b.ptx -o x --pxtas-path={UP}/evil", {}, LEFT_OUT),
    ("b.ptx -o x", {"ptxas": b"#!/bin/sh\n", "lld-cuda-lto": b"#!/bin/sh\n"}, None),
    (f"--lto -o x --lto-nvlink={OUT}/evil", {}, LEFT_OUT),
    (f"--lto -o x --nvvmpath={OUT}", {}, LEFT_OUT),
    (f"b.ptx -o x -Xptxas -o -Xptxas {OUT}/victim", {}, REFUSED),
    (f"-o x -mllvm -load={OUT}/evil", {}, REFUSED),
    (f"-o x -plugin-opt=-load={OUT}/evil", {}, REFUSED),
    ("-o x --never-heard-of", {}, REFUSED),
    # Outputs.
    (f"-o {OUT}/victim", {}, OUTSIDE),
    (f"-o{OUT}/victim", {}, OUTSIDE),
    (f"-o {UP}/victim", {}, OUTSIDE),
    (f"--output={OUT}/victim", {}, OUTSIDE),
    (f'"-o" "{OUT}/victim"', {}, OUTSIDE),
    (f"-\\o {OUT}/victim", {}, OUTSIDE),
    ("-o sub/../../victim", {"sub/x": b""}, OUTSIDE),
    (f"-o x --Map={UP}/victim", {}, OUTSIDE),
    ("-o x -Map /proc/self/cwd/../victim", {}, OUTSIDE),
    (f"--fatbin={OUT}/victim", {}, OUTSIDE),
    (f"--host-object {OUT}/victim", {}, OUTSIDE),
    (f"-o x --time-trace={OUT}/victim", {}, OUTSIDE),
    (f"-o x --dependency-file {OUT}/victim", {}, OUTSIDE),
    (f"-o x --dot-file={OUT}/victim", {}, OUTSIDE),
    (f"-o x --why-extract={OUT}/victim", {}, OUTSIDE),
    (f"-o x --register-link-binaries={OUT}/victim", {}, OUTSIDE),
    (f"-o x --resource-report=a.json,{OUT}/victim", {}, OUTSIDE),
    (f"-o x --reproduce={OUT}/victim", {}, REFUSED),
    # Inputs: nothing of this machine gets into what is sent back.
    ("/etc/passwd -o x", {}, OUTSIDE),
    (f"{UP}/victim -o x", {}, OUTSIDE),
    (f"-L{OUT} -lsecret -o x", {}, REFUSED),
    (f"-l:{UP}/secret.a -o x", {}, REFUSED),
    ("--libdevice=/etc/passwd -o x", {}, OUTSIDE),
    ("--budget=/dev/zero -o x", {}, OUTSIDE),
    ("thin.a -o x", {"thin.a": b"!<thin>\n//                                              14        `\n"
                     b"/etc/passwd/\n\n"}, "thin archive"),
    # Files of options.
    ("@more", {"more": f"-o {OUT}/victim".encode()}, OUTSIDE),
    ("@more", {"more": b"@most", "most": f"--Map={OUT}/victim".encode()}, OUTSIDE),
    ("@more", {"more": b"@more"}, "too deep"),
    ("@/etc/passwd", {}, "aren't in the file"),
    (f"@{UP}/more", {}, "aren't in the file"),
    ("--options-file=more", {"more": f"-o {OUT}/victim".encode()}, REFUSED),
    # Words that are none.
    ("-o", {}, "whose value is missing"),
    ('-o "x', {}, "without a closing one"),
    ('-o "a\x1b[2Jb"', {}, "control characters"),
    ('-o "a\nRUN: touch PWNED"', {}, "control characters"),
    (f"-flavor nvcc --nvcc={OUT}/evil", {}, REFUSED),
    ("-o x ./@more ./-o", {"@more": f"-o {OUT}/victim".encode(), "-o": b""}, None),
]
#: The same of nvlink's command lines.
NVLINK = [
    (f"--output-file={OUT}/victim", {}, OUTSIDE),
    (f"-o {OUT}/victim", {}, OUTSIDE),
    (f"-o x --time={OUT}/victim", {}, OUTSIDE),
    (f"-o x --resource-report=a.json,{OUT}/victim", {}, OUTSIDE),
    (f'-o x --resource-report=a.json","{OUT}/victim', {}, OUTSIDE),
    (f"-o x -lto --lto-nvlink={OUT}/evil", {}, LEFT_OUT),
    ("-o x -optf more", {"more": f"-o {OUT}/victim".encode()}, REFUSED),
    (f"-o x -Xnvvm -load={OUT}/evil", {}, REFUSED),
    (f"-o x -L{OUT} -lsecret", {}, REFUSED),
]


def entry(name, data=b"", type=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size, info.mode = type, link, len(data), 0o755
    return info, data


def make_tar(entries):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for info, data in entries:
            tar.addfile(info, io.BytesIO(data))
    return file.getvalue()


def plain(line="-o x", files={}, nvlink=False):
    text = ("-flavor nvlink " if nvlink else "") + "-arch=sm_90 a.cubin " + line
    files = {"a.cubin": CUBIN, "b.ptx": PTX, **files}
    return [entry("r/response.txt", text.encode())] + [entry("r/" + n, d) for n, d in files.items()]


def claim(size):
    """A tar whose last header claims a size that isn't there."""
    info = tarfile.TarInfo("r/b")
    info.size = size
    return make_tar(plain())[:-10240 % 512 or None].rstrip(b"\0").ljust(20480, b"\0")[:4096] + info.tobuf()


def long_names(count):
    """Each header says that the name comes in the next one."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1
    return (info.tobuf() + b"x".ljust(512, b"\0")) * count


SPARSE = tarfile.TarInfo("r/b")
SPARSE.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.map": "0,0",
                      "GNU.sparse.size": str(1 << 40), "GNU.sparse.name": "r/b"}

#: Tar files, and what is said.
TARS = [
    (make_tar(plain() + [entry(OUT + "/victim", b"x")]), "is too long, absolute, or contains '.' or '..'"),
    (make_tar(plain() + [entry("r/../../victim", b"x")]), "is too long, absolute, or contains '.' or '..'"),
    (make_tar(plain() + [entry("r/./b", b"x")]), "is too long, absolute, or contains '.' or '..'"),
    (make_tar(plain() + [entry("other/b", b"x")]), OUTSIDE),
    (make_tar(plain() + [entry("r/" + "a/" * 600 + "b", b"x")]), "is too long, absolute, or contains '.' or '..'"),
    (make_tar(plain() + [entry("r/" + "a" * 250, b"x")]), "is too long, absolute, or contains '.' or '..'"),
    (make_tar(plain() + [entry("r/a\nb", b"x")]), "control characters"),
    (make_tar(plain() + [entry("r/b", type=tarfile.SYMTYPE, link=OUT + "/victim")]), "not a regular file"),
    (make_tar(plain("-o d/victim") + [entry("r/d", type=tarfile.SYMTYPE, link=OUT),
                                      entry("r/d/b", b"x")]), "not a regular file"),
    (make_tar(plain() + [entry("r/b", type=tarfile.LNKTYPE, link=OUT + "/victim")]), "is a link to a file that doesn't exist"),
    (make_tar(plain() + [entry("r/b", type=tarfile.LNKTYPE, link="r/b")]), "is a link to a file that doesn't exist"),
    (make_tar(plain() + [entry("r/b", type=tarfile.CHRTYPE)]), "not a regular file"),
    (make_tar(plain() + [entry("r/b", type=tarfile.FIFOTYPE)]), "not a regular file"),
    (make_tar(plain() + [entry("r/b", b"1"), entry("r/b", b"2")]), "two files with the name"),
    (make_tar(plain() + [entry("r/b", b"1"), entry("r/b/c", b"2")]), "a file and a folder"),
    (make_tar(plain() + [entry("s/response.txt", b"")]), "it has no response.txt"),
    (make_tar(plain()[1:]), "it has no response.txt"),
    (make_tar(plain() + [entry(f"r/{i}") for i in range(20000)]), "more than 20000 files"),
    (make_tar(plain() + [(SPARSE, b"")]), "not a regular file"),
    (claim(8 << 30), "cannot read"),
    (long_names(2000), "cannot read"),
    (make_tar(plain())[:700], "cannot read"),
    (bz2.compress(make_tar(plain())), "not compressed by gzip"),
    (gzip.compress(make_tar(plain()))[:-20], "cannot read"),
    (os.urandom(4096), "cannot read"),
]


def snapshot():
    return {os.path.join(folder, name): os.lstat(os.path.join(folder, name)).st_mtime_ns
            for folder, _, names in os.walk(".") for name in names}


def run(words):
    environment = {**os.environ, "TMPDIR": os.path.abspath("tmp"), "LLD_CUDA_FLAGS": f"--Map={OUT}/victim",
                   "PATH": ".::" + os.environ["PATH"], "LD_LIBRARY_PATH": "."}
    return subprocess.run(["reproducer", *words, "--linker", LINKER], capture_output=True, text=True,
                          errors="replace", timeout=60, env=environment)


def check(number, data, said):
    with open("x.tar", "wb") as file:
        file.write(data)
    before = snapshot()
    for words in (["replay", "x.tar"], ["shrink", "x.tar", "-o", "small.tar", "--still", "true"]):
        # It reads the file in the same way, but takes as long again; one that is
        # followed it makes smaller.
        if words[0] == "shrink" and (said in (None, LEFT_OUT) or number % 4):
            continue
        result = run(words)
        where = (words, data[:2000], result)
        assert "Traceback" not in result.stderr, where
        assert said is None or said in result.stderr, where
        assert said in (None, LEFT_OUT) or result.returncode == 1, where
        assert "\x1b" not in result.stdout + result.stderr, where
        assert snapshot() == before and not os.listdir("tmp"), where


shutil.rmtree(OUT, ignore_errors=True)
os.mkdir(OUT)
os.makedirs("tmp", exist_ok=True)
with open(OUT + "/victim", "w") as file:
    file.write("kept\n")
with open(OUT + "/evil", "w") as file:
    file.write(f"#!/bin/sh\ntouch {OUT}/PWNED\n")
os.chmod(OUT + "/evil", 0o755)
count = 0
for lines, nvlink in ((LINES, False), (NVLINK, True)):
    for line, files, said in lines:
        check(count, make_tar(plain(line, files, nvlink)), said)
        count += 1
for data, said in TARS:
    check(count, data, said)
    count += 1
assert os.listdir(OUT) != [] and not os.path.exists(OUT + "/PWNED")
# A pipe or a device isn't waited for.
os.mkfifo("x.fifo")
for name in ("x.fifo", "/dev/zero"):
    assert "not a regular file" in run(["replay", name]).stderr
print(count, "files")
