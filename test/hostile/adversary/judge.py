# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules that hold for each cell, and the word that the table has for what came of it."""

import os
import stat

import attacks
import programs
from cell import Cell, Fault
from faults import differences, snapshot

KEYS = ["contents", "attributes", "names", "time"]
#: A race: what others do with the file while the program runs.
RACES = {"replaced meanwhile", "cut and written meanwhile"}
#: What makes no sense where a folder is meant.
FILES_ONLY = RACES | {"a file cut short", "a pipe with a sound file", "an endless pipe", "a hard link",
                      "somebody else's file", "somebody else's, not readable", "a setuid file", "a read-only file"}
#: Where the file is in another folder.
ELSEWHERE = {"in no folder", "below a file", "in a read-only folder", "an old file in a read-only folder",
             "on a full file system", "an old file on a full file system"}
SOUND = attacks.Attack("sound", attacks.sound, {"read"}, "")
ABSENT = attacks.Attack("absent", attacks.nothing, {"written"}, "")
EMPTY = next(attack for attack in attacks.INPUTS if attack.name == "an empty file")
FOLDER = next(attack for attack in attacks.INPUTS if attack.name == "a folder")
SETS_IDS = stat.S_ISUID | stat.S_ISGID


def is_read(row):
    return row.kind in ("read", "read folder", "in place")


def applies(around, row, attack):
    """Why not, or nothing."""
    if row.kind in ("read folder", "write folder") and attack.name in FILES_ONLY:
        return "no folder"
    is_named = "FILE" in row.command or "thin.a" in row.command
    if not is_named and ("name" in attack.name or attack.name in ELSEWHERE):
        return "the name is fixed"
    return None


class Judge:
    """Of one row: knows what comes of a sound file."""

    def __init__(self, around, row):
        self.around, self.row = around, row
        first = SOUND if is_read(row) else ABSENT
        self.sound = self.once(first)
        if self.sound[0].status != 0:
            raise Fault(f"{row.program} {row.argument}: a sound file: status {self.sound[0].status}: "
                        f"{self.sound[0].text.decode('latin1')}")
        self.is_steady = self.once(first)[1:] == self.sound[1:]
        # What a run does without the file, as far as it can.
        nothing = {"read": [EMPTY, FOLDER], "in place": [EMPTY], "read folder": [FOLDER]}.get(row.kind, [])
        self.empty = []
        for attack in nothing + [ABSENT] * ("FILE" not in row.command and is_read(row)):
            try:
                self.empty.append(self.once(attack))
            except Fault:
                pass  # It is told where it is tried.

    def once(self, attack):
        cell = Cell(self.around, self.row, attack)
        try:
            cell.prepare()
            result = cell.run()
            return result, cell.outputs(result.after), self.text(cell, result)
        finally:
            cell.close()

    @staticmethod
    def text(cell, result):
        return result.text.replace(os.fsencode(cell.base), b"BASE")

    def outcome(self, attack, repeat=3):
        """A word for the table. Raises Fault if a rule is broken."""
        if applies(self.around, self.row, attack):
            return "-"
        if attack.name not in RACES:
            return self.attempt(attack)
        found = {self.attempt(attack) for _ in range(repeat)}
        return "-" if found == {"-"} else "never mixed"

    def attempt(self, attack):
        cell = Cell(self.around, self.row, attack)
        try:
            if cell.prepare() is False:
                return "-"
            before = snapshot(cell.work)
            result = cell.run()
            word = self.judge(cell, before, result)
        finally:
            cell.close()
        row = self.row
        allowed = attack.allowed | programs.MORE.get((row.program, row.argument, attack.name), set())
        if (row.program, row.argument) in programs.PASSES_OVER:
            allowed = allowed | {"empty", "read"}
        if word == "waits" and not self.row.waits:
            raise Fault("waits for the other end of a pipe")
        if word not in allowed:
            raise Fault(f"{word}: {self.text(cell, result).decode('utf-8', 'backslashreplace')[:300]}")
        return word

    def judge(self, cell, before, result):
        row, race = self.row, cell.attack.name in RACES
        own = os.path.relpath(cell.path, cell.work)
        if race:
            for files in (before, result.after):
                if self.row.kind == "in place" and files is result.after:
                    self.check_race(cell, result)
                files.pop(own, None)
        if row.argument in programs.AFTER_ERRORS and result.status != 0:
            before.pop(own, None), result.after.pop(own, None)
        has_written = cell.attack.name == "two at once" and before != result.after  # One of both.
        if result.status != 0 and not has_written:
            if stat.S_ISFIFO(before.get(own, {}).get("attributes", (0,))[0]):
                result.after[own]["time"] = before[own]["time"]  # It is the helper who writes.
            changed = list(differences(before, result.after, KEYS))
            if changed:
                raise Fault(f"failed, and {'; '.join(changed[:4])}")
            return "waits" if result.status is None else "refused"
        self.check_writes(cell, before, result.after, own)
        if is_read(self.row):
            return self.read_word(cell, result)
        self.check_place(cell, before.get(own), result.after)
        return self.written_word(cell, result)

    def check_race(self, cell, result):
        """What is pruned in place is whole or as it was."""
        contents = result.after.get(cell.path.name, {}).get("contents", (0, 0, None))[2:]
        if result.status == 0 and cell.attack.name == "replaced meanwhile":
            return  # The other one may have come last.
        if result.status == 0 and contents not in self.sound[1]:
            raise Fault("the file that was pruned is mixed")

    def may_write(self, cell, own):
        names = set(self.row.writes)
        if self.row.kind not in ("read", "read folder"):
            names |= {own, "target"}
            if cell.attack.name == "in no folder":
                names |= {"no"}
        return names

    def check_writes(self, cell, before, after, own):
        """Nothing else has changed."""
        allowed = self.may_write(cell, own)
        for name in before.keys() | after.keys():
            if any(name == other or name.startswith(other + "/") for other in allowed):
                continue
            was, now = before.get(name), after.get(name)
            if was is None or now is None:
                raise Fault(f"'{name}' is {'left' if was is None else 'gone'}")
            for key in ("contents", "attributes", "names"):
                if was[key] != now[key]:
                    raise Fault(f"'{name}' has other {key}")

    def check_place(self, cell, was, after):
        """Devices, pipes and links are what they were; a file's owner and mode stay."""
        now = after.get(os.path.relpath(cell.path, cell.work))
        if was is None or cell.attack.name == "an empty folder":
            return
        if now is None:
            raise Fault("the file is gone")
        kind = stat.S_IFMT(was["attributes"][0])
        if kind != stat.S_IFMT(now["attributes"][0]):
            raise Fault("another kind of file is there")
        if kind in (stat.S_IFCHR, stat.S_IFLNK) and was["contents"] != now["contents"]:
            raise Fault("another device or link is there")
        if kind == stat.S_IFREG and was["names"] != now["names"]:
            raise Fault("the hard link is broken")
        if was["attributes"][:3] == now["attributes"][:3]:
            return
        if was["attributes"][1:3] != now["attributes"][1:3]:
            raise Fault("another owner")
        if was["attributes"][0] & ~SETS_IDS != now["attributes"][0] & ~SETS_IDS:
            raise Fault(f"another mode: {now['attributes'][0]:o}")

    def read_word(self, cell, result):
        outputs, text = self.outputs(cell, result), self.text(cell, result)
        has_own_name = "name" in cell.attack.name
        if self.row.kind == "in place" and cell.attack.name in RACES:
            return "read"  # check_race() has looked.
        text = text.replace(b"/target", b"/" + self.row.file.encode())
        if outputs == self.sound[1] and (has_own_name or text == self.sound[2] or not self.is_steady):
            return "read"
        if cell.attack.name.startswith("a name that begins with -") and not any(outputs):
            return "option"
        if any(other[0].status == 0 and (outputs, text) == other[1:] for other in self.empty):
            return "empty"
        if cell.attack.name in ("a file cut short", "deeply nested") or has_own_name and outputs == self.sound[1]:
            return "read"
        if cell.attack.name == "cut and written meanwhile" and cell.path.suffix == ".txt":
            return "read"  # A part of a text is a text.
        if cell.row.kind == "in place" and outputs == self.sound[1]:
            return "read"  # It has told what the new file hasn't.
        return f"other results{'' if outputs == self.sound[1] else ' and outputs'}"

    def outputs(self, cell, result):
        """With what is behind links."""
        after = dict(result.after)
        own = os.path.relpath(cell.path, cell.work)
        if cell.path.is_symlink() and "target" in after:
            after[own] = after["target"]
        if own not in self.row.writes and self.row.kind != "read":
            return cell.outputs(after)
        return cell.outputs(after)

    def written_word(self, cell, result):
        row, outputs = self.row, self.outputs(cell, result)
        mode = cell.path.stat().st_mode if cell.path.exists() else 0
        if self.row.kind == "write folder":
            if not stat.S_ISDIR(mode) or not any(cell.path.iterdir()):
                return "no folder is written"
            return "written"
        if row.argument in programs.APPENDS and b"isn't complete" in result.text:
            return "warned"
        if stat.S_ISCHR(mode):
            return "written"
        if stat.S_ISFIFO(mode):
            if not cell.received:
                return "nothing came through the pipe"
            return "written"
        if not self.is_steady or row.argument in programs.APPENDS or "name" in cell.attack.name:
            return "written" if cell.path.stat().st_size else "an empty file is written"
        return "written" if outputs == self.sound[1] else "something else is written"
