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

OBJECTS = [INPUTS / "calls-kernel.sm_75+sm_80+sm_90.o", INPUTS / "calls-function.sm_75+sm_80+sm_90.o"]


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

    def test_wrong_inputs(self):
        for wrong in ([b"nothing"], ["/nowhere.o"], [KERNEL, INPUTS / "alias.sm_75.cubin"]):
            with self.assertRaises(lld_cuda.LinkError):
                device_link(wrong, "sm_90")
        for wrong in ([None], OBJECTS[0], [lld_cuda.prepare(KERNEL)]):
            with self.assertRaises(TypeError):
                device_link(wrong, "sm_90")
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
