# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tar file of --reproduce, which a stranger may have made.

Nothing of it touches the disk here. Its files are regular ones with sound names
in one folder; a hard link stands for one of them, as --reproduce writes it.
"""
import gzip
import io
import os
import re
import shutil
import stat
import tarfile
import tempfile

import commandline
from errors import UserError, printable

MAX_BYTES = 1 << 30  # of the tar file and of what is in it
MAX_MEMBERS = 20_000
MAX_NAME = 1000
MAX_PART = 200  # of a name, between slashes


class Case:
    """Files by name, and the words of the command line. LINKS says of names
    which other name the same file has, as long as their contents are equal."""

    def __init__(self, files, words, version, links):
        self.files, self.words, self.version, self.links = files, words, version, links

    def copy(self, files=None, words=None, links=None):
        return Case(dict(self.files) if files is None else files,
                    list(self.words) if words is None else words, self.version,
                    self.links if links is None else links)

    def link(self, name):
        """The name of which NAME is another one, or None."""
        target = self.links.get(name)
        return target if self.files.get(target) == self.files[name] else None

    def inputs(self):
        return [w for w in self.words if w in self.files]

    def size(self):
        return sum(map(len, self.files.values())) + sum(map(len, self.words))


def open_tar(path):
    """The bytes of a tar file, unpacked if it is gzipped."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    file = os.fdopen(fd, "rb")
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise UserError("not a regular file")
    magic = file.read(6)
    file.seek(0)
    if magic[:3] in (b"BZh", b"\xfd7z", b"\x28\xb5\x2f"):
        raise UserError("not compressed by gzip; unpack it first")
    if magic[:2] == b"\x1f\x8b":
        packed, file = gzip.GzipFile(fileobj=file), tempfile.TemporaryFile()
        size = 0
        while piece := packed.read(1 << 20):
            size += len(piece)
            if size > MAX_BYTES:
                break
            file.write(piece)
        if size > MAX_BYTES:
            raise UserError(f"more than {MAX_BYTES >> 20} MiB when unpacked")
        file.seek(0)
    elif os.fstat(fd).st_size > MAX_BYTES:
        raise UserError(f"more than {MAX_BYTES >> 20} MiB")
    return file


def check_name(name):
    parts = name.split("/")
    if (len(name) > MAX_NAME or any(part in ("", ".", "..") or len(part) > MAX_PART
                                    for part in parts)):
        raise UserError(f"a file name that is too long, absolute, or contains '.' or '..': '{name[:MAX_NAME]}'")
    if any(ord(c) < 32 or ord(c) == 127 for c in name):
        raise UserError(f"a file name with control characters: '{name}'")


def read_members(tar):
    """Contents by name, and the targets of links."""
    members, targets, size, count = {}, {}, 0, 0
    for member in tar:
        count += 1
        if count > MAX_MEMBERS:
            raise UserError(f"more than {MAX_MEMBERS} files")
        name = member.name
        check_name(name)
        if member.isdir():
            continue
        if name in members:
            raise UserError(f"two files with the name '{name}'")
        if member.islnk():
            if member.linkname not in members:
                raise UserError(f"'{name}' is a link to a file that doesn't exist")
            members[name], targets[name] = members[member.linkname], member.linkname
        elif member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse():
            # No more is asked for than there is: Python takes the memory first.
            members[name] = tar.extractfile(member).read(min(member.size, MAX_BYTES + 1 - size))
        else:
            raise UserError(f"'{name}' is not a regular file")
        # Links count, too: where they can't be made they become copies.
        size += len(members[name])
        if size > MAX_BYTES:
            raise UserError(f"more than {MAX_BYTES >> 20} MiB of files")
    for name in members:
        while name := os.path.dirname(name):
            if name in members:
                raise UserError(f"a file and a folder with the name '{name}'")
    return members, targets


def make_case(members, targets):
    responses = [n for n in members if n.endswith("/response.txt") and n.count("/") == 1]
    if len(responses) != 1:
        raise UserError("not written by --reproduce: it has no response.txt")
    prefix = responses[0][: -len("response.txt")]
    for name, data in members.items():
        if not name.startswith(prefix):
            raise UserError(f"a file name outside of the folder: '{name}'")
        if data.startswith(b"!<thin>\n"):
            raise UserError(f"'{name}' is a thin archive, whose members are elsewhere")
    files = {name.removeprefix(prefix): data for name, data in members.items()}
    links = {name.removeprefix(prefix): target.removeprefix(prefix)
             for name, target in targets.items()}
    text = files.pop("response.txt").decode(errors="surrogateescape")
    words = commandline.expand(commandline.split(text), files)
    return Case(files, words, files.pop("version.txt", b""), links)


def read_tar(path):
    try:
        with open_tar(path) as file, tarfile.open(fileobj=file, mode="r:") as tar:
            return make_case(*read_members(tar))
    except UserError as error:
        raise UserError(f"'{path}': {printable(str(error))}")
    except MemoryError:
        raise
    except OSError as error:
        raise UserError(f"cannot read '{path}': {error}")
    except Exception as error:  # Of damaged files tarfile raises many kinds.
        raise UserError(f"cannot read '{path}': {type(error).__name__}: {printable(str(error))}")


def response(words):
    return "".join(commandline.quote(w) + "\n" for w in words).encode(errors="surrogateescape")


def tar_of(case, path):
    """The bytes of a tar file. Its folder is called like the file, as far as such
    a name can be read again."""
    prefix = re.sub(r"[^\w.+-]", "_", os.path.splitext(os.path.basename(path))[0], flags=re.ASCII)
    prefix = prefix[:MAX_PART].lstrip(".") or "_"
    prefix += "/"
    result = io.BytesIO()
    with tarfile.open(fileobj=result, mode="w", format=tarfile.PAX_FORMAT) as tar:
        own = [("response.txt", response(case.words)), ("version.txt", case.version)]
        # Links follow what they link to.
        files = sorted(case.files.items(), key=lambda f: (case.link(f[0]) is not None, f[0]))
        for name, data in [*files, *own]:
            info = tarfile.TarInfo(prefix + name)
            if case.files.get(name) is data and case.link(name):
                info.type, info.linkname, data = tarfile.LNKTYPE, prefix + case.link(name), b""
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return result.getvalue()


def make_file(path, data):
    """Makes a file that isn't there yet, nor a link of that name."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "xb") as file:
        file.write(data)


def unpack(case, folder, words):
    """Writes the files into an empty folder, and WORDS as the command line."""
    for name, data in [*case.files.items(), ("response.txt", response(words))]:
        if name not in case.links or not case.link(name):
            make_file(os.path.join(folder, name), data)
    for name in case.links:
        if name in case.files and case.link(name):
            path, target = os.path.join(folder, name), os.path.join(folder, case.link(name))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                os.link(target, path)
            except OSError:
                shutil.copyfile(target, path)
