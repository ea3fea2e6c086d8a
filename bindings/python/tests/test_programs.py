# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs, and python -m lld_cuda."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import lld_cuda
from lld_cuda import _nvjitlink, _programs

from .support import FUNCTION, KERNEL, SOURCE, run_python

MAIN = "import runpy; runpy.run_module('lld_cuda', run_name='__main__', alter_sys=True)"
PYPROJECT = SOURCE / "bindings" / "python" / "pyproject.toml"
COMMANDS = dict(re.findall(r'^"?([\w.-]+)"? = "lld_cuda\._programs:(\w+)"$', PYPROJECT.read_text(), re.M))


class ProgramTest(unittest.TestCase):
    def test_each_command_is_a_program(self):
        self.assertIn("lld-cuda", COMMANDS)
        for command, function in COMMANDS.items():
            self.assertTrue(os.access(lld_cuda.program(command), os.X_OK), command)
            self.assertEqual(function, re.sub(r"\W", "_", command))
            done = run_python(f"import sys; sys.argv = ['x', '--version']; from lld_cuda._programs import {function}; sys.exit({function}())")
            self.assertEqual(done.returncode, 0, (command, done.stderr))
            self.assertIn(lld_cuda.__version__, done.stdout, command)

    def test_no_name_of_nvidias(self):
        self.assertFalse({"nvlink", "fatbinary", "nvcc", "ptxas", "cuobjdump", "nvprune"} & set(COMMANDS))

    def test_status_and_arguments(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ["-arch=sm_90", KERNEL, FUNCTION, "-o", Path(folder) / "a b\n.cubin"]
            start = "import sys; from lld_cuda._programs import lld_cuda; sys.exit(lld_cuda())"
            self.assertEqual(run_python(start, *words).returncode, 0)
            self.assertEqual(os.listdir(folder), ["a b\n.cubin"])
            self.assertEqual(run_python(start, "-arch=sm_90", KERNEL, "-o", Path(folder) / "x").returncode, 255)

    def test_no_program(self):
        for name in ("nowhere", "", ".", "..", "../bin/lld-cuda", "/bin/sh"):
            with self.assertRaises(FileNotFoundError):
                lld_cuda.program(name)

    def test_import_is_light(self):
        """Launchers are started often; what links load they don't need."""
        done = run_python("import sys, lld_cuda._programs; print('ctypes' in sys.modules or 'dataclasses' in sys.modules)")
        self.assertEqual(done.stdout, "False\n")


class MainTest(unittest.TestCase):
    def test_version_and_path(self):
        self.assertEqual(run_python(MAIN, "--version").stdout, f"lld-cuda {lld_cuda.__version__}\n")
        self.assertEqual(run_python(MAIN, "path", "cubin-size").stdout, lld_cuda.program("cubin-size") + "\n")
        self.assertEqual(run_python(MAIN, "path", "nothing").returncode, 1)

    def test_names(self):
        for name in lld_cuda.__all__:
            self.assertTrue(hasattr(lld_cuda, name), name)
        self.assertLessEqual(set(lld_cuda.__all__), set(dir(lld_cuda)))
        with self.assertRaises(AttributeError):
            lld_cuda.nothing


class NvJitLinkTest(unittest.TestCase):
    def setUp(self):
        try:
            self.path = _nvjitlink.library(13)
        except lld_cuda.Error:
            self.skipTest("this build has no libnvJitLink")

    def test_replace(self):
        done = run_python("import ctypes, lld_cuda; lld_cuda.replace_nvjitlink(13); lld_cuda.replace_nvjitlink(13)\n"
                          "library = ctypes.CDLL('libnvJitLink.so.13'); print(bool(library.nvJitLinkVersion))")
        self.assertEqual((done.stdout, done.stderr), ("True\n", ""))

    def test_run(self):
        done = run_python(MAIN, "run", "--major", "13", "cat", "/proc/self/maps")
        self.assertIn(os.path.realpath(self.path), done.stdout)

    def test_another_is_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / "libnvJitLink.so.13"
            other.write_bytes(Path(self.path).read_bytes())
            done = run_python("import ctypes, sys, lld_cuda; ctypes.CDLL(sys.argv[1])\n"
                              "try: lld_cuda.replace_nvjitlink(13)\nexcept lld_cuda.Error as error: print(error.status)", other,
                              env={"LD_LIBRARY_PATH": str(Path(_programs.PREFIX) / "lib")})
        self.assertEqual(done.stdout, "loaded\n", done.stderr)


class MissingNvJitLinkTest(unittest.TestCase):
    def test_no_such_major(self):
        with self.assertRaises(ValueError):
            lld_cuda.replace_nvjitlink(11)

    def test_an_installation_without(self):
        before = _programs.PREFIX
        _programs.PREFIX = "/nowhere"
        try:
            with self.assertRaises(lld_cuda.Error):
                lld_cuda.replace_nvjitlink(13)
        finally:
            _programs.PREFIX = before


class RunTest(unittest.TestCase):
    def test_lld_cuda_run_finds_its_hook(self):
        done = subprocess.run([lld_cuda.program("lld-cuda"), "--run", "sh", "-c", "exit 7"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("nothing was replaced", done.stderr)
