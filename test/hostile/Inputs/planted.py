# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""planted.py BIN INPUTS FOLDER: makes programs do, by ptrace, what code of a hostile file would have them do.

Each program is stopped when it has confined itself. Then it is made to open a file that isn't its business, to make one, to
start a program and to connect to a port of this one's. Without a sandbox all of that works, which shows that it is tried. What a
C library newer than this system's asks of standard error is tried, too; it has to work in any sandbox.
"""

import ctypes
import errno
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

bin_folder, inputs, folder = (Path(word).resolve() for word in sys.argv[1:])
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
TRACE_ME, GET_REGISTERS, SET_REGISTERS, NEXT_CALL, KILL_WITH_ME, SET_OPTIONS = 0, 12, 13, 24, 0x100000, 0x4200
PRCTL, SET_SECCOMP, RESTRICT_SELF = 157, 22, 446
OPENAT, SOCKET, CONNECT, EXECVE, IOCTL = 257, 41, 42, 59, 16
ASK_TERMINAL = 0x802C542A  # TCGETS2, by which isatty() of glibc 2.42 and later asks.
REFUSED = -1000
# Places in struct user_regs_struct.
R10, RAX, RDX, RSI, RDI, ORIG_RAX, RIP, RSP, COUNT = 7, 10, 12, 13, 14, 15, 16, 19, 27


class Program:
    """One that is traced, of x86-64."""

    def __init__(self, words):
        self.pid = os.fork()
        if self.pid == 0:
            libc.ptrace(TRACE_ME, 0, None, None)
            silent = os.open(os.devnull, os.O_RDWR)
            for fd in range(3):
                os.dup2(silent, fd)
            os.execv(words[0], [str(word) for word in words])
        os.waitpid(self.pid, 0)
        libc.ptrace(SET_OPTIONS, self.pid, None, KILL_WITH_ME)

    def registers(self):
        values = (ctypes.c_ulong * COUNT)()
        libc.ptrace(GET_REGISTERS, self.pid, None, values)
        return values

    def resume(self):
        """Up to the next beginning or end of a call, or a signal, which is returned; None at the program's end."""
        libc.ptrace(NEXT_CALL, self.pid, None, None)
        _, status = os.waitpid(self.pid, 0)
        return os.WSTOPSIG(status) if os.WIFSTOPPED(status) else None

    def run_to(self, wanted):
        """To the end of a call for which wanted() is true."""
        while self.resume() is not None:
            begin = self.registers()
            if self.resume() is None:
                return False
            if wanted(begin):
                return True
        return False

    def call(self, number, *arguments, data=b""):
        """What the call returns; data lies at the address that an argument None stands for."""
        saved = self.registers()
        at = (saved[RSP] - 8192) & ~15
        with open(f"/proc/{self.pid}/mem", "r+b", buffering=0) as memory:
            memory.seek(at)
            memory.write(data)
        now = self.registers()
        now[RAX], now[RIP] = number, saved[RIP] - 2  # "syscall" has two bytes.
        for place, value in zip((RDI, RSI, RDX, R10), arguments):
            now[place] = at if value is None else value & (1 << 64) - 1
        libc.ptrace(SET_REGISTERS, self.pid, None, now)
        self.resume()
        self.resume()
        result = ctypes.c_long(self.registers()[RAX]).value
        # seccomp undoes the call, and a signal comes behind it, which isn't handed on.
        if result == number and self.resume() == signal.SIGSYS:
            result = REFUSED
        if number != EXECVE or result < 0:
            libc.ptrace(SET_REGISTERS, self.pid, None, saved)
        return result


def verdict(result):
    if result in (REFUSED, -errno.EPERM, -errno.EACCES):
        return "refused"
    return "allowed" if result >= 0 else f"error {-result}"


def run(title, words, last):
    program = Program(words)
    if not program.run_to({
            "no sandbox": lambda r: True, "landlock": lambda r: r[ORIG_RAX] == RESTRICT_SELF,
            "seccomp": lambda r: r[ORIG_RAX] == PRCTL and r[RDI] == SET_SECCOMP}[last]):
        return print(f"{title}: isn't confined")
    here, read_only, make = -100, 0, 0o101
    told = [f"read {verdict(program.call(OPENAT, here, None, read_only, data=bytes(folder / 'elsewhere/secret') + bytes(1)))}",
            f"write {verdict(program.call(OPENAT, here, None, make, 0o600, data=bytes(folder / 'elsewhere/new') + bytes(1)))}"]
    address = struct.pack("=HHI8x", socket.AF_INET, socket.htons(port), socket.htonl(0x7f000001))
    made = program.call(SOCKET, socket.AF_INET, socket.SOCK_STREAM, 0)
    connected = program.call(CONNECT, made, None, len(address), data=address) if made >= 0 else made
    told.append(f"connect {verdict(connected)}")
    asked = verdict(program.call(IOCTL, 2, ASK_TERMINAL, None, data=bytes(64)))
    told.append(f"isatty {'allowed' if asked == f'error {errno.ENOTTY}' else asked}")
    path = b"/bin/true\0"
    told.append(f"exec {verdict(program.call(EXECVE, None, 0, 0, data=path))}")
    os.kill(program.pid, signal.SIGKILL)
    os.waitpid(program.pid, 0)
    print(f"{title}: {', '.join(told)}")
    (folder / "elsewhere/new").unlink(missing_ok=True)


shutil.rmtree(folder, ignore_errors=True)
(folder / "elsewhere").mkdir(parents=True)
(folder / "own").mkdir()
(folder / "elsewhere/secret").write_text("secret")
for name in ("a.cubin", "b.cubin"):
    shutil.copy(inputs / "calls/alias.sm_90.cubin", folder / "own" / name)
os.chdir(folder / "own")
os.environ["TMPDIR"] = str(folder / "own")
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
Path("job").write_bytes(b"\0".join([b"symbols", b"data", b"a.cubin", b"output", b"answer", b""]))

commands = {
    "cubin-dump": (["a.cubin"], "seccomp"), "cubin-diff": (["a.cubin", "b.cubin"], "seccomp"),
    "cubin-check": (["a.cubin"], "seccomp"), "cubin-size": (["a.cubin"], "seccomp"), "cubin-prune": (["--strip-debug", "a.cubin", "-o", "out"], "landlock"),
    "lld-cuda-lto": (["job"], "landlock"), "ld.cuda": (["-arch=sm_90", "a.cubin", "-o", "out"], "landlock"),
    "nvlink": (["-arch=sm_90", "a.cubin", "-o", "out"], "landlock"),
}
for name, (words, last) in commands.items():
    for mode in ("yes", "no"):
        run(f"{name} --sandbox={mode}", [bin_folder / name, f"--sandbox={mode}", *words], last if mode == "yes" else "no sandbox")
for name, (words, last) in commands.items():
    subprocess.run([bin_folder / name, *words], check=True, stdout=subprocess.DEVNULL)
