# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the files that this program writes in their places: all of them or none.

As the linker does it (lib/Support/OutputFile.cpp): a file is made beside its place and takes it
when all are complete. Through a link the file that it leads to is written. Devices, pipes, files
of several names or of another owner, and those in a folder where nothing can be made are written
in place, after all that can fail before.
"""
import os
import shutil
import stat
import tempfile

from errors import UserError


class Output:
    def __init__(self, path, data):
        self.path, self.data = os.path.realpath(path), data
        if os.path.islink(self.path):  # It leads to itself.
            raise OSError(40, os.strerror(40))
        self.temporary = self.old = self.file = self.backup = None
        self.is_placed = False
        try:
            self.status = os.stat(self.path)
        except FileNotFoundError:
            self.status = None
        self.is_stream = bool(self.status) and not stat.S_ISREG(self.status.st_mode)

    def prepare(self):
        status = self.status
        if self.is_stream or status and (status.st_nlink > 1 or status.st_uid != os.geteuid()):
            return self.open()
        if status and not os.access(self.path, os.W_OK):
            raise PermissionError(13, os.strerror(13))
        try:
            file, self.temporary = tempfile.mkstemp(prefix=".reproducer-", dir=os.path.dirname(self.path))
        except OSError:
            if not status:
                raise
            return self.open()
        with os.fdopen(file, "wb") as file:
            file.write(self.data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(self.temporary, stat.S_IMODE(status.st_mode) if status else 0o666 & ~umask)

    def open(self):
        """To be written in place."""
        if stat.S_ISDIR(self.status.st_mode):
            raise IsADirectoryError(21, os.strerror(21))
        self.file = open(self.path, "wb" if self.is_stream else "r+b", buffering=0)

    def place(self):
        if self.temporary:
            if self.status:  # To be put back if another output fails.
                self.backup = self.temporary + "-old"
                try:
                    os.link(self.path, self.backup)
                except OSError:  # Not all file systems can.
                    shutil.copy2(self.path, self.backup)
            os.replace(self.temporary, self.path)
            self.temporary, self.is_placed = None, True
            return
        if not self.is_stream:
            self.old = self.file.read()
            # Room that isn't there is missed now, while all is as it was.
            os.posix_fallocate(self.file.fileno(), 0, max(1, len(self.data)))
            self.file.seek(0)
        rest = memoryview(self.data)
        while rest:
            rest = rest[self.file.write(rest):]
        if not self.is_stream:
            self.file.truncate()

    def undo(self):
        if self.is_placed and self.backup:
            os.replace(self.backup, self.path)
            self.backup = None
        elif self.is_placed:
            os.unlink(self.path)
        if self.old is not None:
            self.file.seek(0)
            self.file.write(self.old)
            self.file.truncate()
            os.utime(self.path, ns=(self.status.st_atime_ns, self.status.st_mtime_ns))

    def close(self):
        for name in (self.temporary, self.backup):
            if name:
                os.unlink(name)
        if self.file:
            self.file.close()


def write(contents):
    """CONTENTS: a list of (path, bytes)."""
    outputs, path = [], ""
    try:
        for path, data in contents:
            outputs.append(Output(path, data))
        # A pipe waits for its reader: before anything else is there.
        for output in sorted(outputs, key=lambda o: not o.is_stream):
            path = output.path
            output.prepare()
        # What can fail comes first, a rename last.
        for output in sorted(outputs, key=lambda o: (o.temporary is not None, not o.is_stream)):
            path = output.path
            output.place()
    except OSError as error:
        for output in outputs:
            output.undo()
        raise UserError(f"cannot write '{path}': {error.strerror}")
    finally:
        for output in outputs:
            output.close()
