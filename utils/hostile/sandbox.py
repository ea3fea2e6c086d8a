# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A world of its own for links, in which nothing that they write goes unseen.

As root, where the system allows it, a process gets its own list of processes and a root directory
that is an overlay of the real one: whatever is created, changed, or removed anywhere, except in
memory file systems that are looked over, too, appears in the overlay's upper directory. (A user's
name space may not overlay a root directory in which other file systems are mounted.) Otherwise
only the link's own folders are watched: its current directory, home, directory for temporary files.
"""

import ctypes
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

NEWNS, NEWPID = 0x20000, 0x20000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
DEVICES = ["null", "zero", "full", "random", "urandom", "tty"]
LIBC = ctypes.CDLL(None, use_errno=True)


def mount(source, target, kind=None, flags=0, data=None):
    def text(value):
        return None if value is None else os.fsencode(value)
    if LIBC.mount(text(source), text(target), text(kind), ctypes.c_ulong(flags), text(data)):
        raise OSError(ctypes.get_errno(), f"mounting {target}")


def snapshot(top, directory=None):
    """{path: what changes when the file does}; `top` may be relative to a directory that is open."""
    found = {}

    def visit(path, name, parent):
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        is_directory = stat.S_ISDIR(status.st_mode)
        # Of directories only the mode: their times change with what is in them.
        found[path] = (status.st_mode, status.st_ino, status.st_nlink, status.st_size, status.st_mtime_ns,
                       status.st_ctime_ns) if not is_directory else (status.st_mode,)
        if is_directory:
            handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
            try:
                for entry in os.listdir(handle):
                    visit(path + "/" + entry, entry, handle)
            finally:
                os.close(handle)

    visit(top, top, directory)
    return found


class World:
    """After enter(): folders `work`, `home`, `temp`, `canary`; changes() tells what was written."""

    def __init__(self, programs):
        self.programs, self.is_isolated, self.upper = programs, False, None

    def enter(self, base):
        """In a process of its own, the first one of its list of processes if `is_isolated`."""
        self.base = Path(base)
        if self.is_isolated:
            self._isolate()
            self.base = Path("/hostile-world")
            mount("tmpfs", str(self.base), "tmpfs")
        for name in ("work", "home", "temp", "canary", "bin"):
            (self.base / name).mkdir(exist_ok=True)
        for program in self.programs:
            # A build that goes on meanwhile doesn't matter.
            target = self.base / "bin" / Path(program).name
            if os.path.islink(program) and "/" not in os.readlink(program):
                target.symlink_to(os.readlink(program))
            else:
                shutil.copy2(program, target)
        parts = Path(self.programs[0]).parent.parent / "share" if self.programs else None
        if parts and parts.is_dir():  # The reproducer's, beside it.
            shutil.copytree(parts, self.base / "share")
        self.work, self.home, self.temp = (self.base / n for n in ("work", "home", "temp"))
        (self.base / "canary" / "file").write_text("canary\n")
        self.environment = dict(os.environ, HOME=str(self.home), TMPDIR=str(self.temp))
        self.environment.pop("LIBRARY_PATH", None)
        os.chdir(self.work)
        self.outside = self._outside()

    def _isolate(self):
        base = self.base
        mount("none", "/", None, MS_REC | MS_PRIVATE)
        mount("tmpfs", str(base), "tmpfs")
        for name in ("up", "scratch", "root"):
            (base / name).mkdir()
        root = base / "root"
        mount("overlay", str(root), "overlay", 0,
              f"lowerdir=/,upperdir={base / 'up'},workdir={base / 'scratch'}")
        mount("tmpfs", str(root / "dev"), "tmpfs")
        for device in DEVICES:
            (root / "dev" / device).touch()
            mount(f"/dev/{device}", str(root / "dev" / device), None, MS_BIND)
        (root / "dev" / "shm").mkdir()
        (root / "dev" / "fd").symlink_to("/proc/self/fd")
        for i, name in enumerate(("stdin", "stdout", "stderr")):
            (root / "dev" / name).symlink_to(f"/proc/self/fd/{i}")
        mount("proc", str(root / "proc"), "proc")
        # File systems below the root one aren't part of the overlay.
        for path in {str(Path(p).resolve().parent) for p in self.programs} | {os.getcwd(), sys.prefix}:
            if not (root / path[1:]).exists():
                (root / path[1:]).mkdir(parents=True)
                mount(path, str(root / path[1:]), None, MS_BIND | MS_REC)
        (root / "hostile-world").mkdir()
        self.upper = os.open(str(base / "up"), os.O_RDONLY | os.O_DIRECTORY)
        os.chroot(str(root))
        os.chdir("/")

    def _outside(self):
        """Everything but the work folder and what is in it."""
        found = {}
        for name in ("home", "temp", "canary", "bin"):
            found.update(snapshot(str(self.base / name)))
        if self.upper is not None:
            found.update(snapshot(".", self.upper))
            found.update(snapshot("/dev"))
        return found

    def changes(self):
        """Paths outside of the work folder that were created, changed or removed."""
        now = self._outside()
        if now == self.outside:
            return []
        changed = sorted(p for p in now.keys() | self.outside.keys() if now.get(p) != self.outside.get(p))
        for path in changed:
            if path not in self.outside and path.startswith(str(self.base)):
                shutil.rmtree(path, ignore_errors=True)
                if os.path.lexists(path):
                    os.unlink(path)
        self.outside = self._outside()
        # Not the directories that were copied for their sake.
        return [p for p in changed if not any(other.startswith(p + "/") for other in changed)]

    def processes(self):
        """Of this list of processes, where there is one."""
        return {int(n) for n in os.listdir("/proc") if n.isdigit()} if self.is_isolated else set()


def _unshare():
    """New namespaces; the next child is the first process there."""
    if LIBC.unshare(NEWNS | NEWPID):
        raise OSError(ctypes.get_errno(), "unshare")


def is_available():
    """Can there be an isolated world?"""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            _unshare()
            child = os.fork()
            if child == 0:
                world = World([])
                world.is_isolated = True
                with tempfile.TemporaryDirectory() as base:
                    world.enter(base)
                    os._exit(0)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except (OSError, AttributeError):
            pass
        os._exit(status)
    return os.waitpid(pid, 0)[1] == 0


def run_in(world, function):
    """Runs function() in a world; a function that waits for its exit status."""
    base = tempfile.mkdtemp(prefix="hostile")
    pid = os.fork()
    if pid == 0:
        status = 3
        try:
            if world.is_isolated:
                _unshare()
                child = os.fork()
                if child:
                    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
            world.enter(base)
            status = function()
        except BaseException as error:  # pylint: disable=broad-except
            sys.excepthook(type(error), error, error.__traceback__)
        sys.stdout.flush()
        os._exit(status)

    def wait():
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        shutil.rmtree(base, ignore_errors=True)
        return status
    return wait
