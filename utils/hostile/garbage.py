# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What isn't made of fields: LTO IR, bitcode, PTX, lists of names, response files; odd archives."""

import struct

import containers as box

MEMBER_NAMES = [b"m.o/", b"", b"/", b"//", b"/0", b"/99999999999999", b"/-1", b"#1/4", b"#1/99999999",
                b"a" * 16, b"\xff" * 16, b"../m.o/", b"/etc/passwd/", b"cudadevrt.o/", b"x\0y.o/",
                b"/SYM64/", b"__.SYMDEF", b"m.cubin/", b"/1:8", b" "]
THIN_PATHS = [b"lib.a", b"../lib.a", b"/dev/null", b"/dev/zero", b"/etc/passwd", b"", b".", b"..", b"/",
              b"m0.o\0", b"./././m0.o", b"../" * 40 + b"etc/passwd", b"no-such-file.o", b"out.cubin",
              b"m" * 5000, b"/proc/self/mem", b"/dev/stdin", b"sub/../m0.o", b"\xff\xfe", b"m0.o/"]
OPTION_TEXTS = [None, None, b"", b" -O3 ", b"-arch=sm_90", b"\0\0\0\0", b"\xff" * 64, b"-O" * 300,
                b"-v -lineinfo", b"-G", b"'\"$(touch pwned)`touch pwned`;touch pwned",
                b"-c -o pwned.cubin", b"--options-file /etc/hostname", b"--output-file=../pwned",
                b"--keep --keep-dir=.", b"-o /tmp/pwned -c", b"-no-such-option"]


def OPTIONS(choose):
    return choose.choice(OPTION_TEXTS)


def noise(choose, size):
    return choose.randbytes(size)


def lto_ir(choose):
    """The magic number, a header's worth of numbers, then anything."""
    head = struct.pack("<I", choose.choice([0x7F4E43ED] * 4 + [0x7F4E43EE]))
    head += b"".join(struct.pack("<I", choose.choice([0, 1, 2, 0x100, 0xFFFFFFFF, 24, 64, 1 << 31]))
                     for _ in range(choose.choice([0, 5, 14])))
    return head + choose.choice([bytes, lambda n: noise(choose, n)])(choose.choice([0, 40, 300, 5000]))


def bitcode(choose):
    """The magic or the wrapper's, blocks that are none."""
    body = b"BC\xC0\xDE" + choose.choice([
        b"", b"\x35\x14\0\0\x05\0\0\0\x62\x0c\x30\x24" + noise(choose, 64), noise(choose, 400), bytes(200),
        b"\x21\x0c\0\0" + b"\xff" * 64])
    if choose.random() < 0.4:
        body = struct.pack("<IIIII", 0x0B17C0DE, choose.choice([0, 1, 0xFFFFFFFF]),
                           choose.choice([0, 20, 0xFFFFFFF0]),
                           choose.choice([0, len(body), 0xFFFFFFFF]), choose.choice([0, 7])) + body
    return body


def ptx(choose, architecture):
    if choose.random() < 0.4:
        return b".version 9.0\n.target %s\n.address_size 64\n.visible .entry k() { ret; }\n" % architecture.encode()
    head = b".version %s\n.target %s\n.address_size %s\n" % (
        choose.choice([b"9.0", b"8.0", b"99.9", b"", b"-1"]),
        choose.choice([architecture.encode(), b"sm_75", b"sm_999", b""]), choose.choice([b"64", b"32", b"0"]))
    body = choose.choice([
        b".visible .entry k() { ret; }\n", b".visible .entry k() { ret;\n", b".extern .func f;\n",
        b".visible .entry " + b"k" * 5000 + b"() { ret; }\n", noise(choose, 300), b"{" * 2000,
        b".global .align 4 .b8 big[99999999999];\n", b".const .b8 c[70000];\n", b"// \0 \xff\n",
        b".file 1 \"" + b"x" * 3000 + b"\"\n", b".visible .entry k() { call f; ret; }\n",
        b".shared .align 4 .b8 s[1000000];\n.visible .entry k() { ret; }\n"])
    text = choose.choice([head + body, body, head, head + body + b"\0" + noise(choose, 20), b"//" + head])
    return text if len(text) > 60 else text + b"\n" * 60


def ptx_tail(choose):
    """An entry that nobody compiles: it stands for a later architecture."""
    return b".version 9.0\n.target sm_200\n" + noise(choose, 40)


def names(choose):
    return choose.choice([b"", b"\0", b"k\0", b"*\0", b"*" * 60 + b"k\0", b"a\0b\0*c*\0", b"def x\0", b"def \0y\0",
                          b"_Z" + b"N" * 200 + b"\0", b"\xff\xfe\0", b"no end", b"\0" * 300, b"k\0" * 500,
                          b"*a" * 100 + b"\0"])


def archive(choose, members, notes):
    """Members: (name, data); perhaps with a header that lies."""
    result, table = [], b""
    for name, data in members:
        size, end, date = None, b"`\n", b"0"
        how = choose.random()
        if how < 0.06:
            size = choose.choice([b"", b"0", b"-1", b"99999999999", b"1e3", b"%d" % (len(data) + 1),
                                  b"%d" % (len(data) - 1), b"\xff", b"0x10", b"4294967295", b"%d " % len(data)])
            notes.append(f"member's size {size}")
        elif how < 0.08:
            end = choose.choice([b"\n`", b"\0\0", b"` "])
        elif how < 0.1:
            date = b"9" * 12
        result.append(box.member(name, data, size, end, date))
    if choose.random() < 0.3:
        table = choose.choice([b"", b"\n", b"name.o/\n", b"n" * 5000 + b"/\n", b"no end", b"\0\0", b"a/\nb/\n"])
        result.insert(choose.choice([0, len(result)]), box.member(b"//", table))
    if choose.random() < 0.2:
        result.insert(0, box.member(choose.choice([b"/", b"/SYM64/", b"__.SYMDEF"]), noise(choose, 24)))
    return box.archive(result, thin=choose.random() < 0.03)


def response(choose, case, words):
    """Response files of a command line; the first one's name."""
    text = choose.choice([" ", "\n", "\t", "\r\n"]).join(words).encode()
    tail = choose.choice([b"", b"\n", b"\0", b" \"", b" '", b" \\", b" -optf first.txt", b" @first.txt",
                          b" --options-file=none.txt", b" -optf second.txt", b" @second.txt", b" -optf .",
                          noise(choose, 200), b" \"" + b"w" * 20000 + b"\"", b" -kernels-used=" + b"k," * 4000,
                          b" -v" * 3000, b" --options-file", b"\xff\xfe", b" -o other.cubin" * 3])
    case.add("first.txt", text + tail, is_input=False)
    case.add("second.txt", choose.choice([b"-v", b"-optf first.txt -optf first.txt", b"@first.txt @second.txt",
                                          b"", noise(choose, 300), b"-optf third.txt " * 20]), is_input=False)
    case.add("third.txt", b"-v " * 100, is_input=False)
    return "first.txt"
