# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""read(): what is in a file, in bytes, in a wheel."""

import os
import tempfile
import unittest
import zipfile
from dataclasses import asdict
from pathlib import Path

import lld_cuda
from lld_cuda import link, read

from .support import FUNCTION, INPUTS, KERNEL

OBJECT = INPUTS / "calls/calls-kernel.sm_75+sm_80+sm_90.o"


class ReadTest(unittest.TestCase):
    def setUp(self):
        self.linked = link([KERNEL, FUNCTION], "sm_90")

    def test_kernels_are_as_the_link_told(self):
        contents = read(self.linked.cubin)
        self.assertEqual((contents.name, contents.size, contents.architectures), ("<bytes>", len(self.linked.cubin), ["sm_90"]))
        self.assertEqual([image.kind for image in contents.images], ["machine code"])
        fields = ("name", "registers", "barriers", "frame", "stack", "parameters", "constants", "dynamic_shared")
        for told, found in zip(self.linked.kernels, contents.kernels):
            self.assertEqual({name: asdict(told)[name] for name in fields}, {name: asdict(found)[name] for name in fields})
            self.assertEqual((found.file, found.architecture), ("<bytes>", "sm_90"))
            self.assertGreater(found.code, 0)
        self.assertEqual(len(contents.kernels), 2)

    def test_object(self):
        for contents in (read(OBJECT), read(str(OBJECT)), read(OBJECT.read_bytes())):
            self.assertEqual(contents.architectures, ["sm_75", "sm_80", "sm_90"])
            self.assertEqual({image.kind for image in contents.images}, {"relocatable code"})
            self.assertEqual(contents.kernels, [])
            self.assertEqual(sum(size.in_file for size in contents.by_kind.values()), contents.size)
            self.assertEqual(sum(size.in_file for size in contents.by_architecture.values()), contents.size)
        self.assertEqual(read(OBJECT).name, str(OBJECT))

    def test_archive_fatbin_buffers(self):
        self.assertTrue(read(INPUTS / "calls/libcalls.a").architectures)
        self.assertEqual(read(INPUTS / "calls/calls-kernel.sm_75+sm_80+sm_90.none.fatbin").architectures, ["sm_75", "sm_80", "sm_90"])
        self.assertEqual(read(bytearray(KERNEL.read_bytes())).architectures, ["sm_90"])
        self.assertEqual(read(memoryview(KERNEL.read_bytes())).images[0].toolkit, read(KERNEL).images[0].toolkit)

    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            wheel = Path(folder) / "x-1-py3-none-any.whl"
            with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
                file.writestr("x/linked.cubin", self.linked.cubin)
                file.writestr("x/__init__.py", "")
            contents = read(wheel)
        self.assertEqual(contents.architectures, ["sm_90"])
        self.assertEqual([kernel.name for kernel in contents.kernels], ["first", "second"])
        self.assertTrue(contents.kernels[0].file.endswith("x/linked.cubin"))

    def test_wrong(self):
        for wrong in ("/nowhere", self.linked.cubin[:1000], KERNEL.read_bytes()[:3000]):
            with self.assertRaises(lld_cuda.ReadError, msg=repr(wrong)[:40]) as caught:
                read(wrong)
            self.assertNotIn("/lld-cuda-", str(caught.exception))
            self.assertNotIn("ended with status", str(caught.exception))
        with self.assertRaises(TypeError):
            read(None)

    def test_names(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (b"bytes \xff", "end\u2028of\x85line".encode(), b"\x1b[31m\n", b"--help", b'quote"\\'):
                path = os.fsdecode(os.path.join(folder.encode(), name))
                Path(path).write_bytes(self.linked.cubin)
                contents = read(path)
                self.assertEqual((contents.name, contents.images[0].file, contents.kernels[0].file), (path, path, path))
                Path(path).write_bytes(self.linked.cubin[:1000])
                with self.assertRaises(lld_cuda.ReadError) as caught:
                    read(path)
                self.assertIn(path, str(caught.exception))

    def test_a_path_of_bytes(self):
        class Place(os.PathLike):
            def __fspath__(self):
                return os.fsencode(KERNEL)

        self.assertEqual(read(Place()).name, str(KERNEL))

    def test_what_never_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for path in (pipe, "/dev/zero"):
                with self.assertRaises(lld_cuda.ReadError) as caught:
                    read(path)
                self.assertIn("not a regular file", str(caught.exception))

    def test_no_device_code(self):
        contents = read(os.__file__)
        self.assertEqual((contents.architectures, contents.images, contents.kernels), ([], [], []))

    def test_nothing_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            before, tempfile.tempdir = tempfile.tempdir, folder
            try:
                read(KERNEL.read_bytes())
                with self.assertRaises(lld_cuda.ReadError):
                    read(self.linked.cubin[:1000])
            finally:
                tempfile.tempdir = before
            self.assertEqual(os.listdir(folder), [])
