# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""_native.py says the same as lldcuda.h: functions, numbers, and where the fields of structs are."""

import ctypes
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from lld_cuda import _errors, _native

from .support import SOURCE

HEADER = SOURCE / "bindings" / "c" / "include" / "lldcuda.h"
TEXT = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
#: Functions of the header that the package has no use for.
NOT_USED = {"link_option"}


def numbers():
    found = {}
    for name, value in re.findall(r"\bLLDCUDA_(\w+) = ([0-9u <]+)", TEXT):
        found[name] = eval(value.replace("u", ""))  # pylint: disable=eval-used
    return found


class HeaderTest(unittest.TestCase):
    def test_numbers(self):
        header = numbers()
        self.assertGreater(len(header), 40)
        compared = 0
        for name, value in vars(_native).items():
            if name.isupper() and isinstance(value, int) and name != "INTERFACE_VERSION":
                self.assertEqual(value, header[name], name)
                compared += 1
        self.assertGreater(compared, 20)
        self.assertIn(f"#define LLDCUDA_INTERFACE_VERSION {_native.INTERFACE_VERSION}\n", TEXT)

    def test_statuses(self):
        """Each that a link can end with has an exception, but for those that only a wrong program gets."""
        own = {value for name, value in numbers().items() if name.startswith("ERROR_")}
        names = {"INVALID_ARGUMENT", "INVALID_STATE", "INTERNAL", "LINK"}
        self.assertEqual(own - set(_errors.BY_STATUS), {numbers()["ERROR_" + name] for name in names})
        self.assertLessEqual(set(_errors.BY_STATUS), own)

    def test_functions(self):
        declared = {name: parameters.split(",") if parameters.strip() != "void" else []
                    for name, parameters in re.findall(r"LLDCUDA_API[^;(]*?\blldcuda_(\w+)\(([^)]*)\)", TEXT)}
        self.assertEqual(set(declared) - NOT_USED, set(_native.FUNCTIONS))
        for name, (_, arguments) in _native.FUNCTIONS.items():
            self.assertEqual(len(arguments), len(declared[name]), name)

    def test_structs(self):
        compiler = next((path for path in map(shutil.which, ("cc", "gcc", "clang", "clang-19")) if path), None)
        if not compiler:
            self.skipTest("no C compiler")
        lines, expected = [], []
        for name, struct in _native.STRUCTS.items():
            lines.append(f'printf("{name} %zu\\n", sizeof(lldcuda_{name}));')
            expected.append(f"{name} {ctypes.sizeof(struct)}")
            for field, *_ in struct._fields_:
                place = getattr(struct, field)
                lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof(lldcuda_{name}, {field}), sizeof(((lldcuda_{name} *)0)->{field}));')
                expected.append(f"{name}.{field} {place.offset} {place.size}")
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "layout.c", Path(folder) / "layout"
            source.write_text('#include "lldcuda.h"\n#include <stdio.h>\nint main(void) {\n' + "\n".join(lines) + "\nreturn 0;\n}\n")
            subprocess.run([compiler, f"-I{HEADER.parent}", source, "-o", program], check=True)
            self.assertEqual(subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines(), expected)

    def test_all_structs(self):
        declared = set(re.findall(r"^} lldcuda_(\w+);", TEXT, re.M))
        self.assertEqual(declared, set(_native.STRUCTS))
