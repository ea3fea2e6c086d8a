# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""System calls that fail, one after the other, and what a program leaves then.

strace makes the n-th call of a name fail in a program that runs in a copy of a folder. All is well
if the program fails with a message and the folder is what it was, or goes on and leaves what it
leaves without the fault.
"""

import collections
import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

#: What calls fail with. brk, mprotect and the like aren't among them: the C library's start needs them.
ERRORS = {
    "open openat openat2 creat": "EACCES EMFILE ENOSPC",
    "read pread64 readv preadv": "EIO",
    "write pwrite64 writev pwritev": "ENOSPC EIO",
    "copy_file_range sendfile": "ENOSPC",
    "fallocate": "ENOSPC EOPNOTSUPP",
    "truncate ftruncate": "EFBIG",
    "fsync fdatasync": "EIO",
    "close": "EIO",
    "stat lstat fstat newfstatat statx": "EIO EACCES",
    "statfs fstatfs": "EIO",
    "access faccessat faccessat2": "EROFS",
    "readlink readlinkat": "EIO",
    "link linkat": "EPERM ENOENT EDQUOT",
    "rename renameat renameat2": "EBUSY EINVAL EXDEV ENOSPC",
    "unlink unlinkat": "EIO EPERM",
    "chmod fchmod fchmodat": "EPERM",
    "chown fchown lchown fchownat": "EPERM",
    "listxattr llistxattr flistxattr getxattr lgetxattr fgetxattr": "EIO",
    "setxattr lsetxattr fsetxattr removexattr fremovexattr": "EPERM",
    "lseek": "EINVAL",
    "mmap mremap": "ENOMEM",
    "munmap madvise": "ENOMEM",
    "getrandom": "ENOSYS",
    "fcntl": "EAGAIN",
    "flock": "EWOULDBLOCK",
    "dup dup2 dup3": "EMFILE",
    "mkdir mkdirat rmdir symlink symlinkat": "ENOSPC",
    "getdents64": "EIO",
    "utimensat": "EPERM",
    "clone clone3 vfork fork": "EAGAIN",
    "execve": "ENOENT",
    "wait4 waitid": "EINTR",
}
TABLE = {call: errors.split() for calls, errors in ERRORS.items() for call in calls.split()}
#: A fault may take one attempt, never more than a few.
LIMIT = 60

Fault = collections.namedtuple("Fault", "call error number")
Run = collections.namedtuple("Run", "status text after temporary")


def strace(options, command):
    return ["strace", "-f", "-qqq", *options, "-e", "signal=none", "--", *command]


def is_available():
    """Can strace make a call of another process fail here?"""
    if not shutil.which("strace"):
        return False
    command = strace(["-o", "/dev/null", "-e", "trace=chdir", "-e", "inject=chdir:error=EIO:when=1"],
                     ["sh", "-c", "cd / 2>/dev/null || echo failed"])
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout == "failed\n"


def attributes(path):
    try:
        names = os.listxattr(path, follow_symlinks=False)
        return tuple((name, os.getxattr(path, name, follow_symlinks=False)) for name in sorted(names))
    except OSError:
        return ()


def snapshot(top):
    """{name: what a file is}: its kind, contents, attributes, and the name that it shares with others."""
    found, inodes = {}, {}
    paths = [Path(top)] + sorted(Path(top).rglob("*"))
    for path in paths:
        status = path.lstat()
        name = str(path.relative_to(top))
        contents = None
        if stat.S_ISREG(status.st_mode):
            contents = hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(status.st_mode):
            contents = os.readlink(path)
        is_folder = stat.S_ISDIR(status.st_mode)
        found[name] = {
            "contents": (stat.S_IFMT(status.st_mode), status.st_rdev, contents),
            "attributes": (status.st_mode, status.st_uid, status.st_gid, attributes(path)),
            "names": (None if is_folder else inodes.setdefault(status.st_ino, name),
                      None if is_folder else status.st_nlink),
            "time": None if is_folder else status.st_mtime_ns,
        }
    return found


def differences(before, after, what):
    """What to say of two snapshots; `what` has the keys to compare."""
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield f"'{name}' is gone"
        elif name not in before:
            yield f"'{name}' is left"
        else:
            for key in what:
                if before[name][key] != after[name][key]:
                    yield f"'{name}' has other {key}"


class Injector:
    """Runs a command in copies of a folder."""

    def __init__(self, folder, command, watch=(), told=None, scratch=None, persistent=False):
        self.folder, self.command, self.persistent = Path(folder), list(command), persistent
        self.watch = [Path(path) for path in watch]
        self.told = re.compile(told) if told else None
        self.scratch = scratch

    def run(self, options=()):
        """A run in a fresh copy. The last thing that it leaves is looked at, and removed."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as base:
            copy, temporary = Path(base, "copy"), Path(base, "tmp")
            subprocess.run(["cp", "-a", self.folder, copy], check=True)
            temporary.mkdir()
            command = strace(options, self.command) if options else self.command
            try:
                done = subprocess.run(command, cwd=copy, capture_output=True, timeout=LIMIT,
                                      stdin=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(temporary)})
                status, text = done.returncode, (done.stdout + done.stderr).decode("latin1")
            except subprocess.TimeoutExpired:
                status, text = None, ""
            return Run(status, text, snapshot(copy), snapshot(temporary))

    def count(self, calls):
        """How often each call is made, by the process or thread that makes it most often."""
        with tempfile.NamedTemporaryFile("r", dir=self.scratch) as log:
            # Not each machine has each call.
            names = ",".join("?" + call for call in calls)
            self.clean = self.run(["-o", log.name, "-e", "trace=" + names])
            counts = collections.Counter()
            for line in log:
                match = re.match(r"(\d+) +(?:<\.\.\. )?(\w+)(?:\(| resumed)", line)
                if match and "resumed>" not in line:
                    counts[match.group(1), match.group(2)] += 1
        most = collections.Counter()
        for (_, call), number in counts.items():
            most[call] = max(most[call], number)
        return most

    def watched(self):
        return {str(path): snapshot(path) if path.exists() else None for path in self.watch}

    def judge(self, run):
        """Nothing if all is well, else what isn't."""
        if run.status is None:
            return "hangs"
        if run.status < 0 or run.status >= 128 and run.status != 255:
            return f"ends by a signal ({run.status})"
        problems = list(differences(self.empty, run.temporary, ["contents"]))
        if run.status:
            if not run.text.strip():
                problems.append("fails without a word")
            problems += differences(self.before, run.after, ["contents", "attributes", "names", "time"])
        else:
            is_told = self.told and self.told.search(run.text)
            keys = ["contents"] if is_told else ["contents", "attributes", "names"]
            problems += differences(self.clean.after, run.after, keys)
        return "; ".join(problems)

    def try_all(self, calls, errors=None, jobs=1):
        """Yields (fault, run, problem) for each fault."""
        outside = self.watched()
        counts = self.count(calls)
        if self.clean.status != 0:
            raise RuntimeError(f"without a fault, status {self.clean.status}: {self.clean.text}")
        with tempfile.TemporaryDirectory(dir=self.scratch) as base:
            subprocess.run(["cp", "-a", self.folder, base + "/copy"], check=True)
            self.before = snapshot(base + "/copy")
            Path(base, "tmp").mkdir()
            self.empty = snapshot(base + "/tmp")
        faults = [Fault(call, error, number) for call in calls for error in errors or TABLE[call]
                  for number in range(1, counts[call] + 1)]

        def attempt(fault):
            when = f"{fault.number}{'+' if self.persistent else ''}"
            run = self.run(["-o", "/dev/null", "-e", f"trace={fault.call}",
                            "-e", f"inject={fault.call}:error={fault.error}:when={when}"])
            return fault, run, self.judge(run)

        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(attempt, faults)
        if self.watched() != outside:
            yield Fault("any", "any", 0), self.clean, "a file elsewhere was changed"
