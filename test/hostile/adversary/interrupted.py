# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of the table's programs that write which don't come to their end: killed at any moment, or with a
system call that fails."""

import collections
import os
import random
import re
import signal
import time

import attacks
import faults
import judge
import programs
from cell import Cell, Fault
from faults import differences, snapshot

#: What kill -9 may leave beside an output: a temporary file or folder, which has such a name.
TEMPORARY = re.compile(r"\.tmp[0-9A-Fa-f]+(\.old)?(/|$)|(^|/)\.reproducer-|(^|/)lld-cuda-\w{6}(/|$)")
OLD = attacks.Attack("an old file", attacks.old, set(), "")
ABSENT = attacks.Attack("nothing there", attacks.nothing, set(), "")
#: The folder in which the link of a reproducer runs is filled there.
WORKPLACE = ("reproducer", "replay -o")
#: Whole files are put into the folder one after the other, from a temporary folder in it.
FILLED = ("cubin-dump", "--extract")
#: The command lines for faults: each kind of output once, by its row.
FAULTY = [("nvlink", "-o"), ("ld.cuda", "--host-object"), ("ld.cuda", "--resource-report"), ("ld.cuda", "--dependency-file"),
          ("nvcc", "-o"), ("fatbinary", "--embedded-fatbin"), ("cubin-prune", "-o"), ("cubin-prune", "--backup"),
          ("cubin-prune", "--in-place"), ("lld-cuda-lto", "a job's output"), ("lld-cuda-toolkit", "the directory"),
          ("reproducer", "shrink --test")]
#: Of scripts only what they change: how their interpreter starts isn't theirs.
SCRIPTS = {"lld-cuda-toolkit": "write mkdir rename renameat renameat2 symlink symlinkat chmod fchmodat",
           "reproducer": "write rename link mkdir chmod fallocate ftruncate"}
#: What the shell's and the dynamic loader's start can't do without.
STARTS = {"nvcc": "read mmap", "lld-cuda-lto": "mmap"}


def writers(around):
    """Rows of programs that write."""
    return [row for row in programs.rows() if around.has(row.needs) and (
        not judge.is_read(row) or row.kind == "in place")]


def old_place(row):
    """What is there before: for folders and backups nothing may be."""
    return ABSENT if row.kind in ("write folder", "backup") else attacks.Attack(
        "sound", attacks.sound, set(), "") if row.kind == "in place" else OLD


class Kill:
    """Kills one row's program, at a random moment or when it makes any of its system calls: most runs take
    little longer than it takes to kill them."""

    def __init__(self, around, row):
        self.around, self.row = around, row
        self.old = self.contents(None)
        runs = [self.contents(False, wait=True) for _ in range(5)]
        self.new, self.seconds = runs[0][0], min(seconds for _, seconds in runs)
        self.is_steady = all(new == self.new for new, _ in runs)
        self.calls = self.count() if faults.is_available() else []

    def names(self, cell):
        own = os.path.relpath(cell.path, cell.work)
        return [*self.row.writes] + [own] * (self.row.kind != "read")

    def count(self):
        """(name, number) of each system call, of any process."""
        cell = Cell(self.around, self.row, old_place(self.row), "killed")
        try:
            cell.prepare()
            log = cell.base / "calls"
            words = [word.replace("FILE", cell.name_to_say()) for word in cell.words()]
            cell.finish(*cell.start(faults.strace(["-o", str(log), "-e", "trace=all"], words)))
            counts, calls = collections.Counter(), []
            for line in log.read_text(errors="replace").splitlines():
                match = re.match(r"(\d+) +(\w+)\(", line)
                if match and match[2] not in ("execve", "exit_group", "exit"):
                    counts[match[1], match[2]] += 1
                    calls.append((match[2], counts[match[1], match[2]]))
            return calls
        finally:
            cell.close()

    def contents(self, moment, wait=False, call=None):
        cell = Cell(self.around, self.row, old_place(self.row), "killed")
        try:
            cell.prepare()
            before = snapshot(cell.work)
            if moment is None:
                return self.pick(cell, before)
            start = time.monotonic()
            words = [word.replace("FILE", cell.name_to_say()) for word in cell.words()]
            if call:
                words = faults.strace(["-o", "/dev/null", "-e", f"trace={call[0]}", "-e",
                                       f"inject={call[0]}:signal=KILL:when={call[1]}"], words)
            process, log = cell.start(words)
            if wait:
                status, text = cell.finish(process, log)
                seconds = time.monotonic() - start
                if status != 0:
                    raise Fault(f"{self.row.program} {self.row.argument}: {text!r}")
                return self.pick(cell, snapshot(cell.work)), seconds
            if call:
                process.wait()  # For the one that was killed, and those that it leaves.
            else:
                time.sleep(moment)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            return self.judge(cell, before, snapshot(cell.work))
        finally:
            cell.close()

    def pick(self, cell, files):
        names = self.names(cell)
        return {name: entry["contents"] for name, entry in files.items()
                if any(name == own or name.startswith(own + "/") for own in names)}

    def once(self, choose):
        call = choose.choice(self.calls) if self.calls and choose.random() < 0.7 else None
        return self.contents(choose.uniform(0, self.seconds), call=call)

    def judge(self, cell, before, after):
        """old, new, or between: some outputs are new. What is torn is a fault."""
        names = self.names(cell)
        left = [name for name in after if name not in before and not any(
            name == own or name.startswith(own + "/") for own in names)]
        strange = [name for name in left if not TEMPORARY.search(name)]
        if strange:
            raise Fault(f"'{strange[0]}' is left")
        others = {name: entry for name, entry in before.items() if name in after}
        for name in set(before) - set(after):
            if name not in names:
                raise Fault(f"'{name}' is gone")
        problems = [problem for problem in differences(others, {n: after[n] for n in others}, ["contents"])
                    if not any(f"'{own}" in problem for own in names)]
        if problems:
            raise Fault(problems[0])
        now, states = self.pick(cell, after), set()
        for own in names:
            def part(files, own=own):
                return {name: what for name, what in files.items() if name == own or name.startswith(own + "/")}
            state = "old" if part(now) == part(self.old) else "new" if self.is_new(part(now), part(self.new)) else None
            if state is None and (self.row.program, self.row.argument) == WORKPLACE:
                state = "begun"
            if state is None and (self.row.program, self.row.argument) == FILLED and all(
                    TEMPORARY.search(name) or part(self.new).get(name) == what for name, what in part(now).items()):
                state = "begun"
            if state is None:
                raise Fault(f"'{own}' is neither the old nor the new one")
            states.add(state)
        return states.pop() if len(states) == 1 and states != {"begun"} else "between"

    def is_new(self, now, new):
        # What tells times isn't the same twice.
        return now == new if self.is_steady else now.keys() == new.keys()


def kill(around, count, only):
    """Prints a line a row; whether all is well."""
    rows = [row for row in writers(around) if not only or row.program in only]
    choose, bad, sums = random.Random(f"{count}"), 0, collections.Counter()
    for number, row in enumerate(rows):
        killer, counts = Kill(around, row), collections.Counter()
        for _ in range((count * (number + 1)) // len(rows) - (count * number) // len(rows)):
            try:
                counts[killer.once(choose)] += 1
            except Fault as fault:
                counts["bad"] += 1
                print(f"{row.program}: {row.argument}: {fault}")
        print(f"{row.program}: {row.argument}: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())),
              flush=True)
        bad += counts["bad"]
        sums.update(counts)
    print(f"{sums.total()} kills: {sums['old']} old, {sums['new']} new, {sums['between']} between two outputs, "
          f"{bad} bad")
    return not bad


def inject(around, only, jobs, calls=None):
    """Each system call of some command lines fails in turn."""
    bad, total = 0, collections.Counter()
    for row in writers(around):
        if (row.program, row.argument) not in FAULTY or only and row.program not in only:
            continue
        cell = Cell(around, row, old_place(row))
        try:
            cell.prepare()
            words = [word.replace("FILE", cell.name_to_say()) for word in cell.words()]
            injector = faults.Injector(cell.work, words, told="doesn't have what the old one had|isn't complete")
            counts = collections.Counter()
            own = SCRIPTS.get(row.program, "").split() or [
                call for call in faults.TABLE if call not in STARTS.get(row.program, "").split()]
            for fault, run, problem in injector.try_all(calls or own, None, jobs):
                if row.kind == "write folder" and run.status == 0:
                    problem = ""  # It holds links, with the names of this copy.
                counts["bad" if problem else "failed" if run.status else "went on"] += 1
                if problem:
                    text = " / ".join(run.text.strip().splitlines())
                    print(f"{row.program}: {row.argument}: {fault.call} {fault.number}: {fault.error}: {problem} [{text}]")
            print(f"{row.program}: {row.argument}: {counts.total()} faults: {counts['failed']} failed, "
                  f"{counts['went on']} went on, {counts['bad']} bad", flush=True)
            bad += counts["bad"]
            total.update(counts)
        finally:
            cell.close()
    print(f"{total.total()} faults: {total['failed']} failed and left all as it was, {total['went on']} went on, "
          f"{bad} bad")
    return not bad
