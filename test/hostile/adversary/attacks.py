# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the adversary puts in the place of a file, and what may come of it.

An attack's place(cell) makes it; cell.path is the place and cell.good a sound file. Its `allowed`
are the outcomes that are no fault:

    read     as the sound file        refused  status and message; all files are as they were
    empty    as an empty file         waits    for the other end of a pipe, until a signal comes
    written  what a sound place gets, through a link, to a device or a pipe

`needs` is root for devices and owners, or user: somebody who isn't root runs the program.
"""

import os
import shutil
import stat
import threading
import time
from collections import namedtuple

import goods

Attack = namedtuple("Attack", "name place allowed needs")
NOBODY = 65534

#: Parts of file names that something may act on.
NAMES = {
    "escape characters in its name": b"\x1b]2;title\x07\x1b[2J\xc2\x9b1m",
    "a newline in its name": b"new\nerror: line",
    "a name that begins with -": b"-dash",
    "a name that begins with @": b"@at",
    "shell characters in its name": b"$(touch made)`touch made`;'\"&|<",
    "no UTF-8 in its name": b"\xff\xfe\x80",
    "spaces and % in its name": b"%s %n  name",
    "a name of 255 bytes": b"n" * 240,
}


def copy(source, target):
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target)


def device(number):
    """A node in the cell's own folder, so that the machine's stays what it is."""
    def place(cell):
        os.mknod(cell.path, stat.S_IFCHR | 0o666, os.makedev(1, number))
        cell.path.chmod(0o666)
    return place


def nothing(cell):
    pass


def sound(cell):
    copy(cell.good, cell.path)


def empty(cell):
    cell.path.write_bytes(b"")


def folder(cell):
    cell.path.mkdir()


def cut(cell):
    data = cell.good.read_bytes()
    cell.path.write_bytes(data[:len(data) // 2])


def pipe(cell):
    os.mkfifo(cell.path)
    cell.path.chmod(0o666)


def feed(cell, pieces):
    """A thread that writes to the pipe as long as somebody reads."""
    def work():
        while not cell.ended.is_set():
            try:
                end = os.open(cell.path, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:  # Nobody reads yet.
                time.sleep(0.002)
        else:
            return
        os.set_blocking(end, True)
        try:
            for piece in pieces():
                os.write(end, piece)
        except OSError:
            pass
        os.close(end)
    cell.helpers.append(threading.Thread(target=work))


def fed_pipe(cell):
    pipe(cell)
    feed(cell, lambda: [cell.good.read_bytes()])


def endless_pipe(cell):
    pipe(cell)

    def pieces():
        while not cell.ended.is_set():
            yield bytes(1 << 16)
    feed(cell, pieces)


def read_pipe(cell):
    """Somebody reads what is written."""
    pipe(cell)
    end = os.open(cell.path, os.O_RDONLY | os.O_NONBLOCK)

    def work():
        while True:
            done = cell.ended.is_set()
            try:
                data = os.read(end, 1 << 16)
            except BlockingIOError:
                data = b""
            cell.received += data
            if done and not data:
                break
            if not data:
                time.sleep(0.002)
        os.close(end)
    cell.helpers.append(threading.Thread(target=work))


def symbolic_link(cell):
    copy(cell.good, cell.work / "target")
    cell.path.symlink_to(os.path.relpath(cell.work / "target", cell.path.parent))


def hard_link(cell):
    copy(cell.good, cell.work / "target")
    os.link(cell.work / "target", cell.path)


def dangling_link(cell):
    cell.path.symlink_to("no/such/file")


def circle(cell):
    cell.path.symlink_to(cell.path.name)


def of_mode(mode, owner=None):
    def place(cell):
        copy(cell.good, cell.path)
        if owner is not None:
            os.chown(cell.path, owner, owner)
        cell.path.chmod(mode)
    return place


def nested(cell):
    make = goods.NESTED.get(cell.path.suffix)
    if cell.good.is_dir():
        cell.path.mkdir()
        goods.nested_folder(cell.path, 400)
    elif cell.path.suffix == ".txt":
        name = cell.path.name
        cell.path.write_text(f"--options-file {name}\n@{name}\n")
    elif make:
        cell.path.write_bytes(make())
    else:
        return False
    return True


def swap(cell):
    """Two sound files take turns under the name."""
    copy(cell.good, cell.path)
    spare = cell.base / "spare"
    copy(cell.good, spare)

    def work():
        other = cell.base / "other"
        while not cell.ended.is_set():
            shutil.copyfile(spare, other)
            os.rename(other, cell.path)
    cell.helpers.append(threading.Thread(target=work))


def shrink_and_grow(cell):
    data = cell.good.read_bytes()
    cell.path.write_bytes(data)

    def work():
        with open(cell.path, "r+b", buffering=0) as file:
            while not cell.ended.is_set():
                file.truncate(len(data) // 2)
                file.seek(0)
                file.write(data)
    cell.helpers.append(threading.Thread(target=work))


READ = {"read"}
MAY = {"read", "refused"}
REFUSED = {"refused"}

INPUTS = [
    Attack("nothing there", nothing, REFUSED, ""),
    Attack("a folder", folder, REFUSED, ""),
    Attack("an empty file", empty, MAY | {"empty"}, ""),
    Attack("a file cut short", cut, MAY | {"empty"}, ""),
    Attack("/dev/null", device(3), MAY | {"empty"}, "root"),
    Attack("/dev/zero, endless", device(5), REFUSED, "root"),
    Attack("/dev/full", device(7), REFUSED, "root"),
    Attack("a pipe without a writer", pipe, REFUSED | {"waits"}, ""),
    Attack("a pipe with a sound file", fed_pipe, MAY, ""),
    Attack("an endless pipe", endless_pipe, REFUSED, ""),
    Attack("a symbolic link", symbolic_link, READ, ""),
    Attack("a hard link", hard_link, READ, ""),
    Attack("a dangling link", dangling_link, REFUSED, ""),
    Attack("a link to itself", circle, REFUSED, ""),
    Attack("somebody else's file", of_mode(0o644, 0), MAY, "root user"),
    Attack("somebody else's, not readable", of_mode(0o600, 0), REFUSED, "root user"),
    Attack("a setuid file", of_mode(0o4755, NOBODY), READ, "root"),
    Attack("a read-only file", of_mode(0o444), MAY, "user"),
    Attack("deeply nested", nested, MAY | {"empty"}, ""),
    Attack("replaced meanwhile", swap, MAY, ""),
    Attack("cut and written meanwhile", shrink_and_grow, MAY | {"empty"}, ""),
]


# Outputs.

def old(cell, mode=0o640, owner=None):
    cell.path.write_bytes(b"old contents\n")
    if owner is not None:
        os.chown(cell.path, owner, owner)
    cell.path.chmod(mode)


def old_of(mode, owner=None):
    return lambda cell: old(cell, mode, owner)


def old_linked(cell):
    (cell.work / "target").write_bytes(b"old contents\n")
    os.link(cell.work / "target", cell.path)


def old_behind_link(cell):
    (cell.work / "target").write_bytes(b"old contents\n")
    cell.path.symlink_to(os.path.relpath(cell.work / "target", cell.path.parent))


def dangling_beside(cell):
    cell.path.symlink_to("target")


def full_folder(cell):
    folder(cell)
    (cell.path / "kept").write_text("kept\n")


def read_only_folder(cell, mode=0o555):
    cell.path = cell.path.parent / "folder" / cell.path.name
    cell.path.parent.mkdir()
    cell.path.parent.chmod(mode)


def read_only_with_old(cell):
    read_only_folder(cell, 0o755)
    old(cell, owner=NOBODY)
    cell.path.parent.chmod(0o555)


def no_folder(cell):
    cell.path = cell.path.parent / "no" / cell.path.name


def on_file(cell):
    (cell.path.parent / "file").write_text("file\n")
    cell.path = cell.path.parent / "file" / cell.path.name


def full_disk(cell):
    cell.fill_disk()


def full_disk_with_old(cell):
    cell.fill_disk(before=lambda: old(cell))


WRITTEN = {"written"}
MAY_WRITE = {"written", "refused"}

OUTPUTS = [
    Attack("nothing there", nothing, WRITTEN, ""),
    Attack("an old file", old, MAY_WRITE, ""),
    Attack("an empty folder", folder, MAY_WRITE, ""),
    Attack("a folder with files", full_folder, {"refused"}, ""),
    Attack("/dev/null", device(3), MAY_WRITE, "root"),
    Attack("/dev/zero", device(5), MAY_WRITE, "root"),
    Attack("/dev/full", device(7), {"refused"}, "root"),
    Attack("a pipe without a reader", pipe, {"refused", "waits"}, ""),
    Attack("a pipe with a reader", read_pipe, MAY_WRITE, ""),
    Attack("a symbolic link", old_behind_link, MAY_WRITE, ""),
    Attack("a hard link", old_linked, MAY_WRITE, ""),
    Attack("a dangling link", dangling_beside, MAY_WRITE, ""),
    Attack("a link into no folder", dangling_link, {"refused"}, ""),
    Attack("a link to itself", circle, {"refused"}, ""),
    Attack("somebody else's file", old_of(0o644, 0), {"refused"}, "root user"),
    Attack("root writes somebody else's setuid file", old_of(0o4755, NOBODY), MAY_WRITE, "root"),
    Attack("a read-only file", old_of(0o444), {"refused"}, "user"),
    Attack("in a read-only folder", read_only_folder, {"refused"}, "user"),
    Attack("an old file in a read-only folder", read_only_with_old, MAY_WRITE, "user"),
    Attack("in no folder", no_folder, MAY_WRITE, ""),
    Attack("below a file", on_file, {"refused"}, ""),
    Attack("on a full file system", full_disk, {"refused"}, "root"),
    Attack("an old file on a full file system", full_disk_with_old, {"refused"}, "root"),
    Attack("two at once", old, MAY_WRITE, ""),
]


def named(name, part):
    def rename(cell, place):
        suffix = os.fsencode(cell.path.suffix)
        cell.path = cell.path.parent / os.fsdecode(part + suffix)
        place(cell)
    return name, rename


NAMED = [named(name, part) for name, part in NAMES.items()]
INPUTS += [Attack(name, lambda cell, rename=rename: rename(cell, sound), MAY | {"option"}, "")
           for name, rename in NAMED]
OUTPUTS += [Attack(name, lambda cell, rename=rename: rename(cell, nothing), MAY_WRITE, "")
            for name, rename in NAMED]
