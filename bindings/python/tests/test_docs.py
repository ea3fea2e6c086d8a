# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples in docstrings, and in README.md, show what comes out."""

import doctest
import importlib
import inspect
import os
import pkgutil
import tempfile
import unittest

import lld_cuda

from .support import EXAMPLE, SOURCE

FLAGS = doctest.NORMALIZE_WHITESPACE


def globs():
    names = {name: getattr(lld_cuda, name) for name in ("Input", "device_link", "link", "prepare", "program", "read")}
    return {**names, "EXAMPLE": EXAMPLE, "lld_cuda": lld_cuda}


class DocsTest(unittest.TestCase):
    def setUp(self):
        self.before, self.folder = os.getcwd(), tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()

    def test_docstrings(self):
        examples = 0
        for module in [lld_cuda, *(importlib.import_module(f"lld_cuda.{info.name}") for info in pkgutil.iter_modules(lld_cuda.__path__)
                                   if info.name != "__main__")]:
            results = doctest.testmod(module, extraglobs=globs(), optionflags=FLAGS)
            self.assertEqual(results.failed, 0, module.__name__)
            examples += results.attempted
        self.assertGreater(examples, 10)

    def test_readme(self):
        for name in ("kernel.cubin", "function.cubin"):
            os.symlink(EXAMPLE / name, name)
        results = doctest.testfile(str(SOURCE / "bindings/python/README.md"), module_relative=False, globs={}, optionflags=FLAGS)
        self.assertEqual(results.failed, 0)
        self.assertGreater(results.attempted, 5)

    def test_everything_has_a_docstring(self):
        for name in lld_cuda.__all__:
            value = getattr(lld_cuda, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                self.assertTrue(value.__doc__, name)
