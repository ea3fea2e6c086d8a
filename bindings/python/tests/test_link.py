# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""link(): its bytes are nvlink's, as recorded; inputs of all kinds; what is wrong."""

import array
import ctypes
import gc
import mmap
import os
import pickle
import subprocess
import tempfile
import threading
import unittest
from dataclasses import asdict, is_dataclass
from pathlib import Path

import lld_cuda
from lld_cuda import Input, link, prepare

from .support import EXPECTED, FUNCTION, INPUTS, KERNEL, corpus_links

#: Options of the corpus's command lines that link() has, too.
FLAGS = {"-r": "relocatable", "-g": "debug"}
LISTS = {"-kernels-used": "kernels_used", "-variables-used": "variables_used"}


def arguments_of(words):
    """Inputs and keywords of link() for a command line; None: it has something else."""
    inputs, options = [], {}
    words = iter(words)
    for word in words:
        name, _, value = word.partition("=")
        if word == "-o":
            next(words)
        elif word in FLAGS:
            options[FLAGS[word]] = True
        elif name in LISTS and value:
            options.setdefault(LISTS[name], []).extend(value.split(","))
        elif name == "-arch" and value:
            options["arch"] = value
        elif word.endswith((".cubin", ".fatbin", ".o")):
            inputs.append(next(INPUTS.glob(f"*/{word}"), INPUTS / word))
        else:
            return None
    return (inputs, options) if "arch" in options and all(path.exists() for path in inputs) else None


def is_same(made, expected, only_note_differs):
    """Are these the same bytes, or the same but for the note, which repeats the command line?"""
    if made == expected or not only_note_differs:
        return made == expected
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("made", "expected")]
        for path, data in zip(paths, (made, expected)):
            path.write_bytes(data)
        return subprocess.run([lld_cuda.program("cubin-diff"), *paths], capture_output=True, check=False).stdout.startswith(b"IDENTICAL-BUT-NOTE")


class RecordedTest(unittest.TestCase):
    """With compat=True a link makes the bytes that nvlink has made."""

    def test_corpus(self):
        linked = 0
        reschedules = os.environ.get("LLDCUDA_RESCHEDULE") != "0"
        for test, each in corpus_links():
            if "--nvlink-compat" not in test.read_text().splitlines()[0] or (each.expected / "status").exists():
                continue
            taken = arguments_of(each.arguments)
            number = int("".join(filter(str.isdigit, taken[1]["arch"]))) if taken else 0
            if not taken or not (each.expected / "out.cubin").exists() or (number >= 100 and not reschedules):
                continue
            inputs, options = taken
            with self.subTest(each.name):
                made = link(inputs, release=each.release or "13.0.88", compat=True, **options).cubin
                expected = (each.expected / "out.cubin").read_bytes()
                self.assertTrue(is_same(made, expected, only_note_differs=len(options) > 1), len(expected))
                linked += 1
        self.assertGreater(linked, 400 if reschedules else 100)

    def test_buffers_and_paths_make_the_same(self):
        names = ("calls-kernel.sm_90.cubin", "calls-function.sm_90.cubin")
        expected = (EXPECTED / "calls" / "calls.sm_90" / "out.cubin").read_bytes()
        for read in (lambda path: path, str, Path.read_bytes):
            inputs = [read(INPUTS / "calls" / name) for name in names]
            self.assertEqual(link(inputs, "sm_90", compat=True).cubin, expected)


class ObjectCode:
    """As cuda.core's."""

    def __init__(self, code, code_type, name=""):
        self.code, self.code_type, self.name = code, code_type, name


class InputTest(unittest.TestCase):
    def setUp(self):
        self.bytes = [KERNEL.read_bytes(), FUNCTION.read_bytes()]
        self.expected = link([KERNEL, FUNCTION], "sm_90").cubin

    def check(self, make):
        self.assertEqual(link([make(data) for data in self.bytes], "sm_90").cubin, self.expected, make)

    def test_buffers(self):
        self.check(bytearray)
        self.check(memoryview)
        self.check(lambda data: memoryview(bytearray(data)))
        self.check(lambda data: array.array("B", data))
        self.check(lambda data: array.array("I", data + bytes(-len(data) % 4)))
        self.check(lambda data: (ctypes.c_ubyte * len(data)).from_buffer_copy(data))
        self.check(lambda data: memoryview(b"".join(bytes([byte, 0]) for byte in data))[::2])  # not contiguous

    def test_mapped_file(self):
        with open(KERNEL, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            self.assertEqual(link([mapped, FUNCTION], "sm_90").cubin, self.expected)

    def test_a_buffer_is_free_afterwards(self):
        data = bytearray(self.bytes[0])
        link([data, FUNCTION], "sm_90")
        data.extend(b"x")  # BufferError while something holds it

    def test_object_code(self):
        self.check(lambda data: ObjectCode(data, "cubin"))
        self.check(lambda data: ObjectCode(bytearray(data), "object", "name"))
        self.assertEqual(link([ObjectCode(str(KERNEL), "cubin"), FUNCTION], "sm_90").cubin, self.expected)

    def test_wrappers(self):
        self.check(lambda data: Input(data, name="same", kind="cubin"))
        self.check(lambda data: (data, "name"))
        self.check(lambda data: (data, None, "cubin"))
        self.check(prepare)
        self.assertEqual(link([Input(KERNEL), Input(prepare(FUNCTION))], "sm_90").cubin, self.expected)

    def test_fatbin_object_archive(self):
        for name in ("calls/calls-kernel.sm_75+sm_80+sm_90.none.fatbin", "calls/calls-kernel.sm_75+sm_80+sm_90.o"):
            for of in (lambda path: path, Path.read_bytes):
                linked = link([of(INPUTS / name), of(INPUTS / "calls/calls-function.sm_75+sm_80+sm_90.o")], "sm_80")
                self.assertTrue(linked.kernels, name)

    def test_if_needed(self):
        alone = INPUTS / "calls/alias.sm_90.cubin"
        self.assertEqual(link([alone, Input(FUNCTION, if_needed=True)], "sm_90").cubin, link([alone], "sm_90").cubin)
        self.assertEqual(link([KERNEL, Input(FUNCTION, if_needed=True)], "sm_90").cubin, self.expected)

    def test_none(self):
        linked = link([], "sm_90")
        self.assertEqual(linked.cubin[:4], b"\x7fELF")
        self.assertEqual(linked.kernels, [])

    def test_what_is_no_input(self):
        for wrong in (None, 1, object(), [b""], (), (b"", "name", "cubin", 1)):
            with self.assertRaises(TypeError, msg=repr(wrong)):
                link([wrong], "sm_90")
        for wrong in (KERNEL, str(KERNEL), b"", None):
            with self.assertRaises(TypeError):
                link(wrong, "sm_90")
        with self.assertRaises(ValueError):
            link([Input(b"", kind="exe")], "sm_90")
        for path in ("", "a\0b"):
            with self.assertRaises(ValueError):
                link([path], "sm_90")


class ErrorTest(unittest.TestCase):
    def fails(self, kind, status, *arguments, **options):
        with self.assertRaises(kind) as caught:
            link(*arguments, **options)
        self.assertIs(type(caught.exception), kind)
        self.assertIsInstance(caught.exception, lld_cuda.LinkError)
        self.assertEqual(caught.exception.status, status)
        return caught.exception

    def test_undefined(self):
        error = self.fails(lld_cuda.UndefinedError, "undefined", [KERNEL], "sm_90")
        message, = error.diagnostics
        self.assertEqual((message.severity, message.id, message.input, message.symbols),
                         ("error", "undefined-reference", 0, ("scale",)))
        self.assertTrue(message.notes)
        self.assertIn("'scale'", str(error))
        self.assertIn(message.text, error.log)

    def test_all_wrong_inputs_are_told(self):
        error = self.fails(lld_cuda.InputError, "input-kind", [b"nothing", KERNEL, INPUTS / "calls/alias.sm_75.cubin", "/nowhere"], "sm_90")
        self.assertEqual([message.input for message in error.diagnostics], [0, 2, 3])
        self.assertIn("2 more errors", str(error))

    def test_inputs(self):
        self.fails(lld_cuda.ArchMismatchError, "arch-mismatch", [INPUTS / "calls/alias.sm_75.cubin"], "sm_90")
        self.fails(lld_cuda.InputFileError, "file", ["/nowhere"], "sm_90")
        self.fails(lld_cuda.DuplicateError, "multiple-definition", [FUNCTION, FUNCTION], "sm_90")
        self.fails(lld_cuda.InputError, "input-kind", [Input(KERNEL, kind="archive")], "sm_90")
        self.fails(lld_cuda.CompileError, "ptx", [(b".version 8.0\n.target sm_90\n.address_size 64\n", "a.ptx")], "sm_90")

    def test_damage(self):
        """A part of a file is no file; nothing but errors come of it."""
        data = KERNEL.read_bytes()
        for size in range(1, len(data), 97):
            with self.assertRaises(lld_cuda.InputError, msg=str(size)):
                link([data[:size], FUNCTION], "sm_90")

    def test_options(self):
        self.fails(lld_cuda.OptionError, "no-arch", [], "")
        self.fails(lld_cuda.OptionError, "unknown-arch", [], "sm_999")
        self.fails(lld_cuda.OptionError, "option", [], "bogus\0arch")
        self.fails(lld_cuda.OptionError, "option", [], "sm_90", release="99.9")
        with self.assertRaises(ValueError):
            link([], "")  # OptionError is one
        for options in ({"note": "x"}, {"threads": -1}, {"threads": 1 << 32}, {"max_registers": 0}):
            with self.assertRaises(ValueError, msg=str(options)):
                link([], "sm_90", **options)
        for options in ({"kernels_used": "name"}, {"ptxas_options": "-v"}):
            with self.assertRaises(TypeError, msg=str(options)):
                link([], "sm_90", **options)

    def test_what_is_no_text_or_number(self):
        for arguments in ({"arch": 90}, {"arch": None}, {"arch": "sm_90", "release": 13}, {"arch": "sm_90", "kernels_used": [b"x"]},
                          {"arch": "sm_90", "threads": "3"}, {"arch": "sm_90", "max_registers": 1.5}, {"arch": "sm_90", "compile": 5}):
            with self.assertRaises(TypeError, msg=str(arguments)):
                link([], **arguments)
        with self.assertRaises(TypeError):
            link([Input(KERNEL, name=5)], "sm_90")

    def test_a_nul_in_an_option(self):
        for options in ({"release": "13.0\0x"}, {"ptxas_options": ["-v\0x"]}):
            self.fails(lld_cuda.OptionError, "option", [KERNEL, FUNCTION], "sm_90", **options)

    def test_what_never_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for path in (pipe, "/dev/zero", folder):
                self.fails(lld_cuda.InputFileError, "file", [path], "sm_90")
                with self.assertRaises(lld_cuda.InputFileError):
                    prepare(path)

    def test_errors_can_be_pickled(self):
        error = self.fails(lld_cuda.UndefinedError, "undefined", [KERNEL], "sm_90")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again), again.status, again.diagnostics, again.log),
                         (type(error), str(error), error.status, error.diagnostics, error.log))

    def test_inputs_that_raise(self):
        def inputs():
            yield KERNEL
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            link(inputs(), "sm_90")


class ResultTest(unittest.TestCase):
    def test_kernels(self):
        first, second = link([KERNEL, FUNCTION], "sm_90").kernels
        self.assertEqual((first.name, second.name), ("first", "second"))
        self.assertTrue(is_dataclass(first) and all(isinstance(value, (str, int, bool)) for value in asdict(first).values()))
        self.assertGreater(first.registers, 0)

    def test_kernels_used(self):
        linked = link([KERNEL, FUNCTION], "sm_90", kernels_used=["second"])
        self.assertEqual([kernel.name for kernel in linked.kernels], ["second"])

    def test_relocatable(self):
        first = link([KERNEL], "sm_90", relocatable=True)
        self.assertEqual(first.kernels, [])
        self.assertEqual(len(link([first.cubin, FUNCTION], "sm_90").kernels), 2)

    def test_repr_is_short(self):
        self.assertLess(len(repr(link([KERNEL, FUNCTION], "sm_90"))), 100)


class PreparedTest(unittest.TestCase):
    def test_closed(self):
        with prepare(FUNCTION) as function:
            link([KERNEL, function], "sm_90")
        self.assertTrue(function.closed)
        function.close()
        with self.assertRaises(ValueError):
            link([KERNEL, function], "sm_90")

    def test_owns_its_bytes(self):
        data = bytearray(FUNCTION.read_bytes())
        function = prepare(data)
        data[:] = bytes(len(data))
        self.assertEqual(link([KERNEL, function], "sm_90").cubin, link([KERNEL, FUNCTION], "sm_90").cubin)

    def test_a_file_is_read_once(self):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(FUNCTION.read_bytes())
        function = prepare(file.name)
        os.unlink(file.name)
        self.assertEqual(len(link([KERNEL, function], "sm_90").kernels), 2)

    def test_wrong(self):
        with self.assertRaises(lld_cuda.InputFileError):
            prepare("/nowhere")
        with self.assertRaises(lld_cuda.InputError):
            link([prepare(b"nothing")], "sm_90")
        with self.assertRaises(TypeError):
            prepare(1)
        with self.assertRaises(ValueError):
            prepare(Input(FUNCTION, if_needed=True))

    def test_closing_while_links_run(self):
        expected = link([KERNEL, FUNCTION], "sm_90").cubin
        failures = []

        def use(function):
            try:
                while True:
                    if link([KERNEL, function], "sm_90").cubin != expected:
                        failures.append("other bytes")
            except ValueError:
                pass  # closed
            except Exception as error:
                failures.append(error)

        for _ in range(5):
            function = prepare(FUNCTION)
            threads = [threading.Thread(target=use, args=(function,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            function.close()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])


class ProcessTest(unittest.TestCase):
    def test_threads(self):
        expected = link([KERNEL, FUNCTION], "sm_90").cubin
        function, failures = prepare(FUNCTION), []

        def work():
            for i in range(25):
                made = link([KERNEL, function if i % 2 else FUNCTION], "sm_90").cubin
                if made != expected:
                    failures.append(i)
                try:
                    link([KERNEL], "sm_90")
                    failures.append("no error")
                except lld_cuda.UndefinedError:
                    pass

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_fork(self):
        """In the child, with threads of the parent in the middle of links."""
        expected = link([KERNEL, FUNCTION], "sm_90").cubin
        function, ends = prepare(FUNCTION), threading.Event()

        def work():
            while not ends.is_set():
                link([KERNEL, FUNCTION], "sm_90")

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    os._exit(link([KERNEL, function], "sm_90").cubin != expected)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            ends.set()
            for thread in threads:
                thread.join()

    def test_memory_is_freed(self):
        def held():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * mmap.PAGESIZE

        def links(count):
            for _ in range(count):
                link([prepare(KERNEL), FUNCTION.read_bytes()], "sm_90")
                try:
                    link([KERNEL], "sm_90")
                except lld_cuda.UndefinedError:
                    pass

        links(50)
        before = held()
        links(300)
        self.assertLess(held() - before, 1 << 20)  # A cubin kept each time would be 4 MB.


if __name__ == "__main__":
    unittest.main()
