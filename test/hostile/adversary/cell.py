# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One row of the table under one attack: runs it, and sees what came of it."""

import ctypes
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import attacks
import goods
import programs
from faults import attributes, differences, snapshot

LIMIT = 30  # Seconds; the machine may be busy.
MEMORY = 512 << 20
SANITIZER = re.compile(rb"Sanitizer|runtime error:|Assertion|LLVM ERROR|PLEASE submit|terminate called|Traceback")
#: What a terminal acts on, but line feed and tab: C0, DEL, C1 as UTF-8, and what is no UTF-8.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069\udc80-\udcff]")
LIBC = ctypes.CDLL(None, use_errno=True)
WORD = re.compile(r"[=,@ ]")


class Fault(Exception):
    """A rule that was broken."""


class Surroundings:
    """What all cells of a run share."""

    def __init__(self, build, base, is_sanitized=False):
        self.base, self.is_sanitized = Path(base), is_sanitized
        self.base.chmod(0o755)
        self.goods = self.base / "goods"
        self.programs = {name: path.format(goods=self.goods) if "{" in path else str(Path(build, path))
                         for name, path in programs.PROGRAMS.items()}
        goods.make(self.goods, self.programs)
        self.add("pruned.o", "function.o")
        self.add("device.bc", "kernel.bc")
        self.add("marked/.lld-cuda-toolkit", "made/.lld-cuda-toolkit")
        (self.goods / "marked/bin").mkdir()
        (self.goods / "marked/bin/ld.cuda").symlink_to(self.programs["lld-cuda"])
        Path(self.programs["clang-nvlink-wrapper"]).symlink_to(self.programs["lld-cuda"])
        (self.goods / "fatbinary.txt").write_text("--compress-mode=none\n")
        self.files = {str(path.relative_to(self.goods)) for path in self.goods.rglob("*")}
        # The programs inherit the limits; this one's threads have to do with them, too: small stacks, and not
        # each an arena of its own (M_ARENA_MAX).
        threading.stack_size(1 << 20)
        LIBC.mallopt(-8, 1)
        os.umask(0o022)
        limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 1 << 28)]
        for kind, limit in limits + [(resource.RLIMIT_AS, MEMORY)] * (not is_sanitized):
            resource.setrlimit(kind, (limit, limit))
        self.is_root = os.geteuid() == 0 and bool(shutil.which("setpriv"))
        self.has_lto = Path(self.programs["lld-cuda-lto"]).exists()
        self.can_mount = self.is_root and LIBC.unshare(0x20000) == 0 and LIBC.mount(
            b"none", b"/", None, ctypes.c_ulong(16384 | 1 << 18), None) == 0

    def add(self, name, source):
        target = self.goods / name
        if (self.goods / source).exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.goods / source, target)

    def has(self, needs):
        have = {"root": self.is_root, "user": True, "llvm-as": bool(shutil.which("llvm-as")), "lto": self.has_lto}
        return all(have[need] for need in needs.split())


class Result:
    """Of a run: status (None: it waits for the other end of a pipe), text, files."""

    def __init__(self, status, text, after, elsewhere):
        self.status, self.text, self.after, self.elsewhere = status, text, after, elsewhere


def in_group(group):
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
                if int(fields[2]) == group and fields[0] != "Z":
                    yield int(entry)
            except (OSError, IndexError):
                pass


def waits_for_partner(group):
    """Does a process of the group wait for the other end of a pipe?"""
    for pid in in_group(group):
        try:
            if Path(f"/proc/{pid}/wchan").read_text() == "wait_for_partner":
                return True
        except OSError:
            pass
    return False


class Cell:
    def __init__(self, around, row, attack, name=None):
        """`name`: of its folder, where that may stand in an output."""
        self.around, self.row, self.attack = around, row, attack
        self.ended, self.helpers, self.received, self.mounts = threading.Event(), [], b"", []
        self.base = around.base / name if name else Path(tempfile.mkdtemp(prefix="cell", dir=around.base))
        self.base.mkdir(exist_ok=True)
        self.base.chmod(0o755)
        self.work, self.temporary, self.home = (self.base / name for name in ("work", "tmp", "home"))
        for path in (self.work, self.temporary, self.home):
            path.mkdir()
        self.good = around.goods / (row.file if row.file in around.files else "function.o")
        self.path = self.work / row.file
        self.as_user = "user" in attack.needs.split() and around.is_root

    def close(self):
        self.ended.set()
        for helper in self.helpers:
            if helper.ident:
                helper.join()
        for mount in self.mounts:
            LIBC.umount2(os.fsencode(mount), 2)
        shutil.rmtree(self.base, ignore_errors=True)

    # What is there before.

    def words(self):
        command = self.row.command
        name = next(name for name in sorted(self.around.programs, key=len, reverse=True)
                    if command.startswith(name + " ") or command.startswith("marked/"))
        if command.startswith("marked/"):
            return command.split(" ")
        rest = command[len(name):].split()
        first = [self.around.programs[name]] + ["--run"] * name.endswith("--run")
        return first + rest

    def furnish(self):
        """Copies the sound files that the command names, except the one under attack."""
        wanted = [part for word in self.row.command.split(" ") for part in WORD.split(word)]
        if "symbols.job" in self.row.command or self.row.file == "symbols.job":
            wanted.append("kernel.bc")
        if self.row.command.startswith("marked/"):
            wanted = [name for name in wanted if not name.startswith("marked/")] + ["marked"]
        for name in wanted:
            target = self.work / name
            if name not in self.around.files or name == self.row.file or os.path.lexists(target):
                continue
            attacks.copy(self.around.goods / name, target)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.row.file in self.around.files and os.path.lexists(self.path):
            self.path.unlink()  # It came with its folder.

    def fill_disk(self, before=None):
        """The folder of the output becomes one without any room."""
        if not self.around.can_mount:
            raise NotImplementedError
        place = self.work / "full"
        place.mkdir()
        if LIBC.mount(b"tmpfs", os.fsencode(place), b"tmpfs", ctypes.c_ulong(0), b"size=64k"):
            raise NotImplementedError
        self.mounts.append(place)
        self.path = place / self.path.name
        if before:
            before()
        with open(place / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def name_to_say(self):
        """How the command line names the file."""
        return os.path.relpath(self.path, self.work)

    def prepare(self):
        """Sets all up. False: the attack makes no sense here."""
        self.furnish()
        if self.attack.place(self) is False:
            return False
        if "thin.a" in self.row.command:
            (self.work / "thin.a").write_bytes(goods.containers.thin_archive([os.fsencode(self.path.name)]))
        if self.as_user:
            for path in (self.temporary, self.home, self.work, *self.work.rglob("*")):
                if path != self.path:
                    os.chown(path, attacks.NOBODY, attacks.NOBODY, follow_symlinks=False)
            if self.attack.name == "a read-only file":
                os.chown(self.path, attacks.NOBODY, attacks.NOBODY)
        return True

    # The run.

    def start(self, words):
        environment = {**os.environ, "TMPDIR": str(self.temporary), "HOME": str(self.home), "LC_ALL": "C.UTF-8",
                       "PYTHONDONTWRITEBYTECODE": "1"}
        for name in ("LIBRARY_PATH", "LLD_CUDA_FLAGS", "CUDA_HOME", "CUDA_PATH"):
            environment.pop(name, None)
        if self.as_user:
            words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", *words]
        log = tempfile.TemporaryFile(dir=self.base)
        process = subprocess.Popen(words, cwd=self.work, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, start_new_session=True)
        return process, log

    @staticmethod
    def left_behind(group):
        """The processes of a group whose leader has ended, but for those that nobody has waited for."""
        try:
            os.killpg(group, 0)
            return list(in_group(group))
        except ProcessLookupError:
            return []

    def finish(self, process, log):
        """Waits for the end of a run."""
        end = time.monotonic() + LIMIT
        patience = 0.3
        status = None
        while True:
            try:
                status = process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                pass
            # A helper will be the partner, sooner or later.
            if not self.helpers and waits_for_partner(process.pid):
                os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(LIMIT)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    raise Fault("waits for a pipe, and SIGTERM doesn't end it") from None
                break
            if time.monotonic() > end:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise Fault(f"doesn't end within {LIMIT} s")
        left = self.left_behind(process.pid)
        end = time.monotonic() + 2  # One that a signal reached may be on its way out.
        while left and time.monotonic() < end:
            time.sleep(0.02)
            left = self.left_behind(process.pid)
        if left:
            os.killpg(process.pid, signal.SIGKILL)
            raise Fault(f"{len(left)} processes go on")
        log.seek(0)
        return status, log.read(1 << 20)

    def run(self):
        words = [word.replace("FILE", self.name_to_say()) for word in self.words()]
        for helper in self.helpers:
            helper.start()
        if self.attack.name == "two at once":
            runs = [self.start(words), self.start(words)]
        else:
            runs = [self.start(words)]
        ends = [self.finish(*run) for run in runs]
        self.ended.set()
        for helper in self.helpers:
            helper.join()
        self.check_ends(ends)
        status, text = max(ends, key=lambda end: end[0] or 0)
        elsewhere = {**snapshot(self.temporary), **snapshot(self.home)}
        if len(elsewhere) > 1:
            raise Fault(f"left in TMPDIR: {sorted(elsewhere)}")
        return Result(status, text, snapshot(self.work), elsewhere)

    def check_ends(self, ends):
        name = self.row.program
        statuses = programs.STATUSES.get(name, programs.DEFAULT_STATUSES)
        for status, text in ends:
            shown = text.decode("utf-8", "surrogateescape")
            if SANITIZER.search(text):
                raise Fault(f"crash: {shown[-300:]}")
            if status is not None and status not in statuses:
                raise Fault(f"status {status}: {shown[-300:]}")
            bad = CONTROL.search(shown)
            if bad:
                raise Fault(f"control character {bad.group()!r} for the terminal: {shown[:300]!r}")
            if b"\nerror: line" in text:
                raise Fault(f"a name makes a line of its own: {shown[:300]!r}")
            if status and not text.strip():
                raise Fault(f"status {status} without a message")

    def outputs(self, after):
        """What the run has left: contents by name."""
        names = list(self.row.writes)
        if self.row.kind in ("write", "in place", "write folder", "backup"):
            names.append(os.path.relpath(self.path, self.work))
        return [after.get(name, {}).get("contents", ("missing",))[2:] for name in names]


__all__ = ["Cell", "Fault", "Surroundings", "attributes", "differences", "stat"]
