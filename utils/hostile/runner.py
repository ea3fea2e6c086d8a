# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a hostile link and judges how it ended."""

import collections
import os
import re
import resource
import shutil
import signal
import time

from sandbox import snapshot

GOOD = ("refused", "linked", "nothing")
BAD = ("crash", "hang", "memory", "status", "mute", "lied", "changed", "left", "elsewhere", "process", "none",
       "unclean")
#: So much of a text is looked at from its beginning, and from its end.
HALF = 1 << 20
OLD = b"what was there before\n"
MESSAGE = re.compile(r"\b(error|fatal)\s*:")
COLOUR = re.compile("\x1b\\[[0-9;]*m")
REPORTS = ("AddressSanitizer", "UndefinedBehaviorSanitizer", "LeakSanitizer", "runtime error:",
           "Assertion", "LLVM ERROR", "PLEASE submit a bug report", "terminate called", "Stack dump",
           "Traceback (most recent call last)")

Done = collections.namedtuple("Done", "status text seconds memory")


class Runner:
    def __init__(self, world, options):
        self.world, self.options = world, options
        self.known = world.processes()
        self.slowest = self.largest = (0, None)

    def run(self, program, arguments, timeout):
        """Status (None: it hangs), messages, processor time and memory."""
        path = str(self.world.base / "bin" / program)
        log = os.memfd_create("messages")
        null = os.open("/dev/null", os.O_RDONLY)
        pid = os.posix_spawn(path, [path] + arguments, self.world.environment, setpgroup=0, file_actions=[
            (os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2)])
        hangs = False

        def expire(*_):
            nonlocal hangs
            hangs = True
            os.killpg(pid, signal.SIGKILL)

        resource.prlimit(pid, resource.RLIMIT_CPU, (int(timeout) + 1, int(timeout) + 2))
        signal.signal(signal.SIGALRM, expire)
        # Other programs may keep the processors busy.
        signal.setitimer(signal.ITIMER_REAL, 12 * timeout)
        _, status, usage = os.wait4(pid, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        status = os.waitstatus_to_exitcode(status)
        hangs |= status in (-signal.SIGXCPU, -signal.SIGKILL) and usage.ru_utime + usage.ru_stime >= timeout
        # Messages may stand behind a long dump.
        size = os.fstat(log).st_size
        parts = [os.pread(log, HALF, 0), os.pread(log, HALF, max(HALF, size - HALF))]
        text = COLOUR.sub("", b"".join(parts).decode("latin1"))
        os.close(log)
        os.close(null)
        return Done(None if hangs else status, text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10)

    def prepare(self, case):
        """Writes the inputs, and most outputs' predecessors. The folder as it is then."""
        work = self.world.work
        for name, data in case.files.items():
            (work / name).write_bytes(data)
        self.aliases = set()
        for i, name in enumerate(case.outputs):
            if name in case.files:  # It is written over.
                continue
            how = (len(str(case)) + i) % 16
            if how == 1:  # Another name of the same file.
                (work / (name + ".alias")).write_bytes(OLD)
                os.link(work / (name + ".alias"), work / name)
            elif how == 2:
                (work / (name + ".alias")).write_bytes(OLD)
                (work / name).symlink_to(name + ".alias")
            elif how > 5:
                (work / name).write_bytes(OLD)
            if how in (1, 2):
                self.aliases.add(name + ".alias")
        return snapshot(str(work))

    def leftovers(self):
        """Processes that outlived the link, and ends them."""
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
        found = self.world.processes() - self.known
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return found

    def outcome(self, case):
        before = self.prepare(case)
        done = self.run(case.program, case.arguments, self.options.timeout)
        found = self.leftovers()
        changed = self.world.changes()
        now = snapshot(str(self.world.work))
        touched = sorted(p for p in now.keys() | before.keys() if now.get(p) != before.get(p))
        self.slowest = max(self.slowest, (done.seconds, case.seed))
        self.largest = max(self.largest, (done.memory, case.seed))
        result = self.judge(case, done, touched, before, now)
        if result[0] in GOOD and found:
            result = "process", f"{len(found)} processes go on"
        if changed:
            result = "elsewhere", f"{changed[:5]}"
        for entry in os.scandir(self.world.work):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
        return result

    def judge(self, case, done, touched, before, now):
        """Outcome and what to say about it."""
        status, text = done.status, done.text
        names = [os.path.relpath(p, self.world.work) for p in touched]
        if status is None:
            return "hang", f"{done.seconds:.1f} s: {text}"
        if status < 0 or not case.helper_may_crash and any(report in text for report in REPORTS):
            return "crash", f"status {status}: {text[:1500]}"
        if status not in case.statuses:
            return "status", f"{status}: {text}"
        # What the files hold and what becomes of it, beside a process.
        if self.options.max_memory and done.memory > self.options.max_memory << 20:
            return "memory", f"{done.memory >> 20} MB: {text}"
        allowed = {n for n, may in case.outputs.items() if may}
        allowed |= {n + ".alias" for n in allowed}
        strange = [n for n in names if n not in case.outputs and n not in self.aliases]
        if status:
            changed = [n for n, p in zip(names, touched) if p in before and n not in allowed]
            if changed:
                return "changed", f"{changed}: {text}"
            left = [n for n in names if n not in allowed]
            if left:
                return "left", f"{left}: {text}"
            return ("refused" if (case.message or MESSAGE).search(text) else "mute"), text
        if strange:
            return "left", f"{strange}: {text}"
        if not case.message and is_lie(case, text):
            return "lied", text
        if case.output and not {case.output, case.output + ".alias"} & set(names):
            return ("nothing" if case.may_write_nothing() else "none"), text
        if case.output != "out.cubin":
            return "linked", text
        dumped = self.run("cubin-dump", ["out.cubin"], 4 * self.options.timeout)
        if dumped.status != 0 or "error:" in dumped.text or "warning:" in dumped.text:
            return "unclean", dumped.text[-300:]
        return self.link_again(case) or ("linked", text)

    def link_again(self, case):
        """What came out of a relocatable link is an input, too."""
        if "-r" not in case.arguments:
            return None
        architecture = [a for a in case.arguments if a.startswith("-arch=")]
        os.rename("out.cubin", "again.cubin")
        for options in ([], ["-g"], ["-r"]):
            done = self.run("nvlink", architecture + options + ["again.cubin", "-o", "final.cubin"],
                            self.options.timeout)
            if done.status is None:
                return "hang", f"its output, {options}: {done.text}"
            if done.status not in (0, 1, 255) or any(report in done.text for report in REPORTS):
                return "crash", f"its output, {options}: status {done.status}: {done.text[:1500]}"
            if (done.status == 0) == bool(MESSAGE.search(done.text)):
                return "lied", f"its output, {options}: status {done.status}: {done.text}"
        return None


def is_lie(case, text):
    """Does it tell an error? What a tool prints of its input isn't meant."""
    if case.output == "out.cubin":
        return MESSAGE.search(text)
    return any(re.match(rf"{re.escape(case.program)}: (error|fatal): ", line) for line in text.splitlines())


def limit(memory):
    """Of a link; sanitizers need all addresses."""
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def clock():
    return time.strftime("%H:%M:%S", time.gmtime())
