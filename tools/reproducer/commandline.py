# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line in a file of --reproduce, which a stranger may have written.

What isn't known to be harmless is refused: each option of ld.cuda and of nvlink
stands in a table here with what its value is. From what was understood a new
command line is made, with one spelling for each option, so that the linker
can't read it in another way than it was read here.
"""
import os
import re

from errors import UserError, printable

MAX_WORDS = 100_000
MAX_NESTING = 10  # of files of options

# What an option's value is.
FLAG = "no value"
TEXT = "text that the linker compares with names, or checks itself"
INPUT = "a file in the folder"
LIST = "text, or @ and a file in the folder"
OUTPUT = "a file that is made in the folder, or several with commas between them"
OWN = "a program or library: the one of this machine is taken"
REFUSED = "what could run, read or write anything"

ARCHITECTURE = re.compile(r"(sm|compute|lto)_\d+[af]?")
NUMBER = re.compile(r"\d{1,4}")
#: Of one that wasn't found, and isn't to be: it is told in the end. No path.
LIBRARY = re.compile(r":?[\w.+-]+")


def table(kinds):
    return {name: kind for names, kind in kinds for name in names.split()}


#: Options of ld.cuda, with one dash or two. A pattern is what the value must be.
LLD = table([
    ("""r relocatable whole-archive no-whole-archive lto-internalize no-lto-internalize
     lto-emit-asm lto-emit-llvm save-temps lto dlto warn-unresolved-symbols
     error-unresolved-symbols allow-multiple-definition demangle no-demangle gc-sections
     no-gc-sections print-gc-sections g S strip-debug s strip-all ignore-host-info
     keep-system-libraries preserve-relocs reschedule nvlink-compat print-map M cref
     print-memory-usage trace t check join-reports dump-callgraph time-trace stats verbose
     color-diagnostics no-color-diagnostics explain no-explain fatal-warnings
     no-fatal-warnings w no-warnings compress-all cache-stats suppress-stack-size-warning suppress-arch-warning help h
     version V v start-group end-group ( ) as-needed no-as-needed build-id eh-frame-hdr
     shared pie no-pie static Bstatic Bdynamic no-undefined""", FLAG),
    ("""host-target compress-mode fatbin-ident gencode feature entry undefined require-defined e u y
     unresolved-symbols kernels-used nvlink-release newer-inputs cuda-major
     print-memory-usage= trace-symbol why-live why-stack why-registers why-shared
     why-barriers color-diagnostics= error-format progress sandbox exclude-libs wrap defsym
     localize export rename-prefix build-id= hash-style= cpu-arch""", TEXT),
    ("arch march mcpu default-arch=", ARCHITECTURE),
    ("plugin-opt=", re.compile("mcpu=" + ARCHITECTURE.pattern)),
    ("lto-partitions thinlto-jobs lto-timeout error-limit threads maxrregcount memory-limit time-limit", NUMBER),
    ("m O lto-O z", re.compile("64|[0-3sz]|muldefs")),
    ("libdevice baseline budget version-script", INPUT),
    ("require-kernels", LIST),
    ("""o output= Map why-extract dependency-file dot-file time-trace= register-link-binaries=
     host-object fatbin resource-report""", OUTPUT),
    ("""cuda-path= ptxas-path= pxtas-path= nvvmpath nvjitlink-path lto-nvlink plugin
     host-ccbin""", OWN),
    ("l library=", LIBRARY),
    ("Xptxas mllvm L library-path= options-file reproduce cache-dir cache-policy lto- thinlto", REFUSED),
])

#: Options of nvlink's command line by their long names, which take two dashes.
NVLINK = table([
    ("""suppress-stack-size-warning suppress-arch-warning debug verbose verbose2
     preserve-relocs disable-warnings warning-as-error disable-infos keep-system-libraries
     report-arch extra-warnings link-time-opt dlto nvvm-latest suppress-debug-info
     link-as-tools-patch dump-callgraph dump-callgraph-no-demangle use-host-info
     ignore-host-info relocatable-link emit-ptx help version force-rela
     reserve-null-pointer shared uumn nvlink-note nvlink-compat reschedule stats check explain
     no-explain no-demangle print-map cref print-gc-sections trace cache-stats""", FLAG),
    ("""kernels-used variables-used cpu-arch Ofast-compile device-stack-protector
     gen-host-linker-script disable-smem-reservation enable-extended-smem
     syscall-const-offset verbose-tkinfo nvlink-behavior nvlink-release newer-inputs
     cuda-major progress sandbox print-memory-usage trace-symbol note-command error-format
     why-live why-stack why-registers why-shared why-barriers""", TEXT),
    ("arch", ARCHITECTURE),
    ("""machine maxrregcount split-compile split-compile-extended threads min-parallel
     shuffle-threads lto-timeout memory-limit time-limit""", NUMBER),
    ("baseline budget uidx-file", INPUT),
    ("""output-file register-link-binaries dot-file time time-trace Map why-extract
     dependency-file resource-report""", OUTPUT),
    ("nvvmpath nvjitlink-path lto-nvlink host-ccbin", OWN),
    ("library", LIBRARY),
    ("library-path Xptxas Xnvvm options-file decompress-limit reproduce cache-dir cache-policy", REFUSED),
])

#: nvlink's short names, which take one dash, where they aren't the long ones.
NVLINK_SHORT = {
    "o": "output-file", "g": "debug", "m": "machine", "l": "library", "L": "library-path",
    "v": "verbose", "v2": "verbose2", "w": "disable-warnings", "Werror": "warning-as-error",
    "extrawarn": "extra-warnings", "lto": "link-time-opt", "Ofc": "Ofast-compile",
    "astoolspatch": "link-as-tools-patch", "optf": "options-file", "r": "relocatable-link",
    "ghls": "gen-host-linker-script", "h": "help", "uidx": "uidx-file", "V": "version",
}

#: One letter with its value behind it is another option's long name.
JOINED = "oeuyzmOLl"
SPELLING = {"o": "output", "l": "library", "e": "entry", "u": "undefined", "y": "trace-symbol",
            "march": "arch", "mcpu": "arch"}


def split(text):
    """Words as the linker reads files of options: blanks separate, either quote
    keeps them, a backslash keeps the next character, within quotes as well."""
    words, word, quote, i = [], None, "", 0
    while i < len(text):
        c = text[i]
        if c == "\\" and i + 1 < len(text):
            i += 1
            word = (word or "") + text[i]
        elif quote:
            if c == quote:
                quote = ""
            else:
                word += c
        elif c in "\"'":
            quote, word = c, word or ""
        elif c in " \t\r\n":
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + c
        i += 1
    if quote:
        raise UserError(f"an options file has a {quote} without a closing one")
    return words if word is None else [*words, word]


def quote(word):
    if word and not re.search(r"""[\s"'\\]""", word):
        return word
    return '"' + re.sub(r'(["\\])', r"\\\1", word) + '"'


def is_nvlink(words):
    return words[:2] == ["-flavor", "nvlink"]


def expand(words, files, nesting=0):
    """The words with those of files of options in their places."""
    result = []
    for word in words:
        if not word.startswith("@") or is_nvlink(words):
            result.append(word)
            continue
        name = word[1:]
        if name not in files or nesting == MAX_NESTING:
            raise UserError(f"the command line names options '{printable(word)}', which "
                            "aren't in the file, or too deep")
        text = files[name].decode(errors="surrogateescape")
        result += expand(split(text), files, nesting + 1)
        if len(result) > MAX_WORDS:
            raise UserError(f"the command line has more than {MAX_WORDS} words")
    return result


def is_inside(path):
    """Whether the path leads to a place below the folder where it is used, which
    has no links."""
    return bool(path) and not os.path.isabs(path) and ".." not in path.split("/")


class Reader:
    """Reads the words one by one, and makes those that the linker gets."""

    def __init__(self, words):
        self.is_nvlink = is_nvlink(words)
        self.words = words[2:] if self.is_nvlink else list(words)
        self.position = 0
        self.result = words[:2] if self.is_nvlink else []
        self.left_out = []

    def read(self):
        if len(self.words) > MAX_WORDS:
            raise UserError(f"the command line has more than {MAX_WORDS} words")
        while self.position < len(self.words):
            word = self.next()
            if word.startswith("-") and word != "-":
                self.option(word)
            else:
                self.input(word)
        return self.result

    def next(self):
        if self.position == len(self.words):
            raise UserError("the command line ends with an option whose value is missing")
        word = self.words[self.position]
        self.position += 1
        if any(ord(c) < 32 or ord(c) == 127 for c in word):
            raise UserError(f"the command line has control characters: '{printable(word)}'")
        return word

    def input(self, word):
        if not is_inside(word) or word == "-":
            raise UserError(f"the command line reads '{word}', outside of the folder; "
                            "--trust allows it")
        # Neither an option, nor a mark of UTF-16 where the line begins.
        self.result.append(word if re.match(r"[\w./]", word, re.ASCII) else "./" + word)

    def option(self, word):
        name, equals, value = self.find(word)
        kinds = NVLINK if self.is_nvlink else LLD
        # Of two options of one name, the one with a value has a "=".
        kind = kinds.get(name + "=") if equals and name + "=" in kinds else kinds.get(name)
        if kind is None or kind == REFUSED:
            raise UserError(f"the command line has '{word}', which may be harmful; "
                            "--trust allows it")
        spelling = "-" + name if len(name) == 1 else "--" + name
        if kind == FLAG:
            if equals:
                raise UserError(f"the command line gives '{word}' a value, but the option has none")
            self.result.append(spelling)
            return
        if not equals:
            value = self.next()
        if kind == OWN:
            self.left_out.append(f"{spelling}={value}")
            return
        self.check(word, kind, value)
        if name in ("m", "O", "z"):
            self.result.append(spelling + value)
        elif name == "lto-O":
            self.result.append("--lto-O" + value)
        elif name == "plugin-opt":
            self.result.append("--arch=" + value.partition("=")[2])
        else:
            self.result.append(f"--{SPELLING.get(name, name)}={value}")

    def find(self, word):
        """Name, whether it has its value with it, value."""
        is_long = word.startswith("--")
        body = word[2:] if is_long else word[1:]
        name, equals, value = body.partition("=")
        if self.is_nvlink:
            long = name if is_long else NVLINK_SHORT.get(name, name)
            if long not in NVLINK and not is_long and body[:1] in ("L", "l", "m"):
                return NVLINK_SHORT[body[0]], True, body[1:]
            return long, bool(equals), value
        if name in LLD or name + "=" in LLD:
            return name, bool(equals), value
        if body.startswith("lto-O"):
            return "lto-O", True, body[len("lto-O"):]
        if not is_long and body[:1] in JOINED:
            return body[0], True, body[1:]
        return name, bool(equals), value

    def check(self, word, kind, value):
        if isinstance(kind, re.Pattern):
            if not kind.fullmatch(value):
                raise UserError(f"the command line has '{word}' with the value '{value}', "
                                "which may be harmful; --trust allows it")
        elif kind == LIST:
            if value.startswith("@"):
                self.check(word, INPUT, value[1:])
        elif kind in (INPUT, OUTPUT):
            # Either as one name or as several.
            paths = [value, *value.split(",")]
            if '"' in value or kind == INPUT and value == "-" or not all(map(is_inside, paths)):
                does = "reads" if kind == INPUT else "writes"
                raise UserError(f"the command line {does} '{value}', outside of the folder; "
                                "--trust allows it")


def harmless(words):
    """The words that the linker gets, and those that were left out since they name
    programs and libraries. Fails if a word isn't known to be harmless."""
    reader = Reader(words)
    return reader.read(), reader.left_out
