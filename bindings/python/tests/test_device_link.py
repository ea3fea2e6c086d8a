# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""device_link(): the host object of a whole device link."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import lld_cuda
from lld_cuda import Input, device_link

from .support import INPUTS, KERNEL

OBJECTS = [INPUTS / "calls/calls-kernel.sm_75+sm_80+sm_90.o", INPUTS / "calls/calls-function.sm_75+sm_80+sm_90.o"]


class DeviceLinkTest(unittest.TestCase):
    def program(self, *words):
        """What ld.cuda itself makes."""
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "device.o"
            subprocess.run([lld_cuda.program("ld.cuda"), *words, f"--host-object={made}"], check=True, capture_output=True)
            return made.read_bytes()

    def test_the_same_as_the_program(self):
        expected = self.program("-arch=sm_80", "-arch=sm_90", *OBJECTS)
        self.assertEqual(device_link(OBJECTS, ["sm_80", "sm_90"]), expected)
        self.assertEqual(device_link(map(str, OBJECTS), ("sm_80", "sm_90")), expected)
        self.assertNotEqual(device_link(OBJECTS, "sm_90"), expected)

    def test_bytes(self):
        made = device_link([OBJECTS[0].read_bytes(), Input(memoryview(OBJECTS[1].read_bytes()))], "sm_80")
        self.assertEqual(made[:4], b"\x7fELF")

    def test_undefined(self):
        with self.assertRaises(lld_cuda.UndefinedError) as caught:
            device_link(OBJECTS[:1], "sm_80")
        self.assertIn("undefined-reference", [message.id for message in caught.exception.diagnostics])
        self.assertTrue(str(caught.exception).startswith("undefined symbol: "))

    def test_names_of_bytes(self):
        for value, name in ((b"nothing", "<input 1>"), (Input(b"nothing", name="end\u2028of line"), "end\u2028of line")):
            with self.assertRaises(lld_cuda.LinkError) as caught:
                device_link([value], "sm_80")
            message = caught.exception.diagnostics[0]
            self.assertEqual((message.input, message.files), (0, (name,)))
            self.assertIn(f"'{name}'", str(caught.exception))
            self.assertNotIn("/lld-cuda-", str(caught.exception) + caught.exception.log)

    def test_names_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (b"bytes \xff", "end\u2028of\x85line".encode(), b"\x1b[31m\n"):
                path = os.fsdecode(os.path.join(folder.encode(), name))
                Path(path).write_bytes(b"nothing")
                with self.assertRaises(lld_cuda.LinkError) as caught:
                    device_link([OBJECTS[0], path], "sm_80")
                self.assertIn(1, [message.input for message in caught.exception.diagnostics])

    def test_what_never_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for path in (pipe, "/dev/zero", folder):
                with self.assertRaises(lld_cuda.InputFileError):
                    device_link([path], "sm_80")

    def test_wrong_inputs(self):
        for wrong in ([b"nothing"], ["/nowhere.o"], [KERNEL, INPUTS / "calls/alias.sm_75.cubin"]):
            with self.assertRaises(lld_cuda.LinkError):
                device_link(wrong, "sm_90")
        for wrong in ([None], OBJECTS[0], [lld_cuda.prepare(KERNEL)]):
            with self.assertRaises(TypeError):
                device_link(wrong, "sm_90")
        for registers in (-3, 0, 1 << 31):
            with self.assertRaises(ValueError):
                device_link(OBJECTS, "sm_80", max_registers=registers)
        for archs in ([], ()):
            with self.assertRaises(ValueError):
                device_link(OBJECTS, archs)
        with self.assertRaises(lld_cuda.LinkError):
            device_link(OBJECTS, "sm_999")

    def test_names_are_never_options(self):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for i, path in enumerate(OBJECTS):
                names.append(("--help", "@file")[i])
                (Path(folder) / names[-1]).write_bytes(path.read_bytes())
            before = os.getcwd()
            os.chdir(folder)
            try:
                self.assertEqual(device_link(names, "sm_80")[:4], b"\x7fELF")
            finally:
                os.chdir(before)
            self.assertEqual(sorted(os.listdir(folder)), sorted(names))
