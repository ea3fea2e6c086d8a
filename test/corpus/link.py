# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the links of the corpus and compares with what nvlink made of them.

A test of the corpus says in words what it is about and has lines

    LINK calls [sm_75 sm_90]: -arch=%a one.%a.cubin two.%a.cubin -o out.cubin

    LINK calls [sm_90] {13.2.86 13.5.37}: -arch=%a one.%a.%v.cubin -o out.cubin

Each stands for one link an architecture, and of the second kind one a release of
nvlink, with %v for inputs of that release's compiler (v13_2_86); those without a
release are of 13.0.88. The files are those of Inputs/, in its folders; the
link runs in a folder of its own that has them all, and Expected/TEST/calls.sm_75/
holds what nvlink left there, its messages (`stderr`, if any) and exit status
(`status`, unless 0). Where a link is a step of several, with -r or with inputs
made so, there is also what nvlink makes of all files at once (`last.cubin`), if
it can link them.

    link.py LINKER WORK TEST...               run and compare, byte for byte
    link.py --by-meaning LINKER WORK TEST...  run and compare with cubin-diff

By meaning, relocatable inputs are made by LINKER, too, not taken from nvlink,
and what a link with -r writes is linked once more: LINKER's own steps have to
lead to what nvlink makes at once. Where the default isn't nvlink's on purpose,
a line says which rows of lld-cuda/Rules/Behaviors.def make the difference:

    DIFFERS calls [sm_90]: ResolvesReferences PlacesCommons

With these behaviours (--nvlink-behavior) the link must mean what nvlink's
does, and without any one of them it must not.

    STEPS calls: MixesUpSameNames

says the same of the last link of all steps. A line

    IN-STEPS calls

says that nvlink makes something else of all files at once than of its own
steps, and that last.cubin is what its steps lead to.

Each test says in words what must be seen in a link's result, and how:

    SEEN calls.sm_75: the kernel calls the other file's function
      has callgraph .nv.callgraph: calls caller=first callee=scale
      lacks symbol dead:
      says Undefined reference to

A line of cubin-dump has the text (" ... " is anything), none has it, or a message
has it: in what nvlink left, and, if DIFFERS doesn't say otherwise, in ours.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
INPUTS = HERE / "Inputs"
EXPECTED = HERE / "Expected"
BEHAVIORS = HERE.parent.parent / "lld-cuda" / "Rules" / "Behaviors.def"
LAST = "last.cubin"

LINE = re.compile(r"^LINK (\S+) \[([^]]+)\](?: \{([^}]+)\})?: (.*)$", re.M)
DIFFERS = re.compile(r"^(DIFFERS|STEPS) (\S+)(?: \[([^]]+)\])?: (.*)$", re.M)
IN_STEPS = re.compile(r"^IN-STEPS (\S+)$", re.M)
SEEN = re.compile(r"^SEEN (\S+): (.+)\n((?:  (?:has|lacks|says) .+\n)+)", re.M)
BEHAVIOR = re.compile(r"^BEHAVIOR\((\w+)", re.M)


class Link:
    """One link: its name, its arguments, a word each, which behaviours of nvlink
    its default doesn't have, and the last of all steps, and whether nvlink's own
    steps count."""

    def __init__(self, name, arguments, differs=(), steps=(), in_steps=False,
                 release=None, test=""):
        self.name = name
        self.arguments = arguments
        self.differs = list(differs)
        self.steps = list(steps)
        self.in_steps = in_steps
        self.release = release
        self.expected = EXPECTED / test / name

    def inputs(self):
        """The files of Inputs/ that the arguments name, and their parts."""
        names = [a for a in self.arguments if re.search(r"\.(cubin|fatbin|o|a|ptx)$", a)]
        names += [f"lib{a[2:]}.a" for a in self.arguments if re.match(r"-l\w", a)]
        outputs = [b for a, b in zip(self.arguments, self.arguments[1:]) if a == "-o"]
        names = [name for name in names if name not in outputs]
        for name in names:
            names += [part for part in parts_of(name) if part not in names]
        return names

    def is_step(self):
        """Is this one of several links that make an image?"""
        return "-r" in self.arguments or any(parts_of(word) for word in self.arguments)

    def at_once(self):
        """The arguments of one link instead of several steps. None: it is one, or
        nvlink's own steps lead to what the default makes."""
        if not self.is_step() or ("-r" not in self.arguments and not self.differs):
            return None
        words = [whole for word in self.arguments for whole in whole_parts_of(word)]
        return [LAST if word == "out.cubin" else word for word in words if word != "-r"]

    def last_step(self):
        """The arguments of the last link of what -r wrote."""
        options = [w for w in self.at_once() if not w.endswith(".cubin") and w != "-o"]
        return [*options, "out.cubin", "-o", LAST]

    def folder(self, work):
        """A new folder that has the inputs."""
        folder = Path(work) / self.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in set(self.inputs()):
            if (path := input_path(name)):
                (folder / name).symlink_to(path)
        return folder

    def run(self, linker, work):
        """Returns what the link leaves: {file: bytes}, stderr and status in it."""
        return self.run_in(self.folder(work), linker)

    def run_in(self, folder, linker):
        there = set(os.listdir(folder))
        done = run(linker + self.arguments, folder)
        left = {path.name: path.read_bytes() for path in folder.iterdir()
                if path.name not in there}
        if done.stderr:
            left["stderr"] = done.stderr
        if done.returncode:
            left["status"] = b"%d\n" % done.returncode
        return left

    def recorded(self):
        """What nvlink leaves, and LAST; None: nothing is recorded."""
        if not self.expected.is_dir():
            return None
        return {path.name: path.read_bytes() for path in self.expected.iterdir()}

    def recorded_link(self):
        """The same without LAST."""
        return {name: contents for name, contents in self.recorded().items()
                if name != LAST}


def input_path(name):
    """The file of that name, in whichever folder of Inputs/; None: there is none."""
    return next(INPUTS.glob(f"*/{name}"), None)


def run(command, folder):
    environment = {k: v for k, v in os.environ.items() if k != "LIBRARY_PATH"}
    return subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60)


# How links make relocatable inputs, by the word in their names.
RELOCATABLE = {"relocatable": ["-r"], "relocatable-g": ["-r", "-g"], "nested": ["-r"]}


def options_of(name):
    """Those of the link that makes a relocatable input; none for other files."""
    words = name.split(".")
    return RELOCATABLE.get(words[-2], []) if words[-1] == "cubin" else []


def parts_of(name):
    """What a relocatable input is made of: a+b.sm_90.nested.cubin is made of
    a.sm_90.relocatable.cubin and b.sm_90.cubin."""
    words = name.split(".")
    if not options_of(name):
        return []
    first, *others = words[0].split("+")
    kind = ".".join(words[1:-2])
    inner = ".relocatable" if words[-2] == "nested" else ""
    return [f"{first}.{kind}{inner}.cubin"] + [f"{other}.{kind}.cubin" for other in others]


def whole_parts_of(name):
    """The files of which the compiler made each."""
    parts = parts_of(name)
    return [whole for part in parts for whole in whole_parts_of(part)] if parts else [name]


def links_of(test):
    """The links that a test file names."""
    text = Path(test).read_text()
    links, said = [], {}
    for word, name, architectures, behaviors in DIFFERS.findall(text):
        for architecture in architectures.split() or ["*"]:
            said[word, f"{name}.{architecture}"] = behaviors.split()
    for name, architectures, releases, words in LINE.findall(text):
        for architecture in architectures.split():
            key = f"{name}.{architecture}"
            differs, steps = (said.get((word, key), said.get((word, f"{name}.*"), []))
                              for word in ("DIFFERS", "STEPS"))
            given = words.replace("%a", architecture)
            if not releases:
                links.append(Link(key, given.split(), differs, steps,
                                  in_steps=name in IN_STEPS.findall(text), test=Path(test).stem))
            for release in releases.split():
                version = "v" + release.replace(".", "_")
                links.append(Link(f"{key}.{release}", given.replace("%v", version).split(),
                                  differs, steps, release=release, test=Path(test).stem))
    return links


def facts_of(files):
    """What can be seen of a link: what cubin-dump prints of its output, and its messages."""
    if "out.cubin" not in files:
        dump = ""
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "out.cubin"
            path.write_bytes(files["out.cubin"])
            dump = run(["cubin-dump", path], folder).stdout.decode()
    return dump, files.get("stderr", b"").decode()


def unseen(checks, files):
    """Yields the checks of a SEEN that don't hold for these files of a link."""
    dump, messages = facts_of(files)
    for check in checks.splitlines():
        word, text = check.split(None, 1)
        pattern = ".*".join(re.escape(part) for part in text.split(" ... "))
        if bool(re.search(pattern, messages if word == "says" else dump)) == (word == "lacks"):
            yield check.strip()


def check_seen(test, links, linker, work):
    """Yields what a test says must be seen, and isn't."""
    text = Path(test).read_text()
    seen = SEEN.findall(text)
    if Path(test).resolve().parent == HERE and not seen or len(seen) != len(re.findall(r"^SEEN ", text, re.M)):
        yield f"{test}: a line SEEN with checks below, for what must be seen, is missing"
    named = {link.name: link for link in links}
    for name, words, checks in seen:
        link = named.get(name)
        if not link or not link.recorded():
            yield f"SEEN {name}: there is no such link"
            continue
        release = [f"--nvlink-release={link.release}"] if link.release else []
        ours = {} if link.differs else {"ours": link.run(linker + release, work)}
        for whose, files in {"nvlink's": link.recorded(), **ours}.items():
            yield from (f"SEEN {name}: {words}: not in {whose}: {check}" for check in unseen(checks, files))


def compare(want, have, lines=12):
    """The words of cubin-diff about two files, the verdict first."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("expected", "got")]
        for path, contents in zip(paths, (want, have)):
            path.write_bytes(contents)
        try:
            said = run(["cubin-diff", *paths], folder).stdout.decode()
        except OSError:
            said = ""
    return said.replace(folder + "/", "").splitlines()[:lines]


def describe(want, have):
    """What cubin-diff says of two files; where they begin to differ if it can't tell."""
    at = next((i for i, (a, b) in enumerate(zip(want, have)) if a != b),
              min(len(want), len(have)))
    yield f"differs from offset 0x{at:x} on (sizes {len(want)} and {len(have)})"
    yield from (f"  {line}" for line in compare(want, have))


def describe_meaning(want, have):
    """The same, unless both are the same program."""
    said = compare(want, have, lines=40)
    if not said:
        return ["cubin-diff has no verdict"]
    return said[:12] if said[0] == "DIFFERENT" else []


def describe_steps(want, have):
    """The same for links of several steps: each leaves a record of itself in the
    note, which cubin-diff takes for a difference."""
    return [line for line in describe_meaning(want, have)
            if not line.startswith("  section .note.nv.tkinfo:")
            and not line.startswith("  (") and line != "DIFFERENT"]


def differences(expected, got, described=describe):
    """Yields a line for each file that is not as it should be."""
    for name in sorted(expected.keys() | got.keys()):
        want, have = expected.get(name), got.get(name)
        if want == have:
            continue
        if name in ("stderr", "status"):
            yield f"{name}: expected {(want or b'').decode()!r}, got {(have or b'').decode()!r}"
        elif have is None:
            yield f"{name}: not written"
        elif want is None:
            yield f"{name}: written, but nvlink writes none"
        else:
            yield from (f"{name}: {line}" for line in described(want, have))


class ByMeaning:
    """Links of one linker, whose results have to mean what nvlink's do."""

    def __init__(self, linker, work):
        self.linker = linker
        self.work = work
        self.behaviors = BEHAVIOR.findall(BEHAVIORS.read_text())

    def with_behaviors(self, behaviors):
        words = ["--nvlink-behavior=" + ",".join(behaviors)] if behaviors else []
        return self.linker + words

    def make(self, name, architecture, linker, folder):
        """Makes a relocatable input by this linker, out of its parts."""
        parts = parts_of(name)
        if not parts:
            return
        for part in parts:
            self.make(part, architecture, linker, folder)
        (folder / name).unlink()
        run(linker + [*options_of(name), architecture, *parts, "-o", name], folder)

    def folder(self, link, linker):
        folder = link.folder(self.work)
        architecture = next(w for w in link.arguments if w.startswith("-arch="))
        for name in link.arguments:
            self.make(name, architecture, linker, folder)
        return folder

    def differences(self, link, behaviors):
        linker = self.with_behaviors(behaviors)
        got = link.run_in(self.folder(link, linker), linker)
        described = describe_steps if link.is_step() else describe_meaning
        return list(differences(link.recorded_link(), got, described))

    def last_link(self, link, behaviors):
        """The result of all steps, or a line that says why there is none."""
        linker = self.with_behaviors(behaviors)
        folder = self.folder(link, linker)
        link.run_in(folder, linker)
        if "-r" in link.arguments:
            done = run(linker + link.last_step(), folder)
            if done.returncode:
                return None, done.stderr.decode()
            return (folder / LAST).read_bytes(), ""
        return (folder / "out.cubin").read_bytes(), ""

    def steps_differ(self, link, behaviors):
        """How the result of all steps differs from nvlink's."""
        got, message = self.last_link(link, behaviors)
        if got is None:
            return [f"in steps: {message!r}"]
        return [f"in steps: {line}" for line in describe_steps(link.recorded()[LAST], got)]

    def check(self, link):
        """Yields what isn't as it should be."""
        unknown = [b for b in link.differs + link.steps if b not in self.behaviors]
        if unknown:
            yield f"no such behaviours: {' '.join(unknown)}"
            return
        yield from self.explained(link, link.differs, self.differences)
        if LAST in link.recorded():
            yield from self.explained(link, link.steps, self.steps_differ)

    def explained(self, link, behaviors, differences):
        """Do these behaviours, and no fewer, make the link the same?"""
        yield from differences(link, behaviors)
        for behavior in behaviors:
            if not differences(link, [b for b in behaviors if b != behavior]):
                yield f"{behavior} makes no difference"


def check_bytes(link, linker, work):
    return differences(link.recorded_link(), link.run(linker, work))


def main():
    words = sys.argv[1:]
    by_meaning = words[0] == "--by-meaning"
    linker, work, *tests = words[by_meaning:]
    linker = linker.split()
    links = [link for test in tests for link in links_of(test)]
    meaning = ByMeaning(linker, work)
    failed = wrong = 0
    for line in [line for test in tests for line in check_seen(test, links_of(test), linker, work)]:
        wrong += 1
        print(line)
    for link in links:
        if link.recorded() is None:
            lines = ["no expectation is recorded"]
        elif by_meaning:
            lines = list(meaning.check(link))
        else:
            release = [f"--nvlink-release={link.release}"] if link.release else []
            lines = list(check_bytes(link, linker + release, work))
        if lines:
            failed += 1
            print(f"{link.name}: {' '.join(linker + link.arguments)}")
            print(*(f"    {line}" for line in lines), sep="\n")
    print(f"{len(links) - failed} of {len(links)} links are as nvlink makes them")
    return 1 if failed or wrong or not links else 0


if __name__ == "__main__":
    sys.exit(main())
