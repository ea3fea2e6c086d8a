# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX: a compiler of the caller's own, and ptxas."""

import unittest

import lld_cuda
from lld_cuda import Compiled, Input, link

from .support import FUNCTION, INPUTS, KERNEL, ptxas

PTX = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"


class CallbackTest(unittest.TestCase):
    def test_it_gets_the_source_and_returns_a_cubin(self):
        asked = []

        def compile(request):
            asked.append(request)
            return KERNEL.read_bytes()

        linked = link([Input(PTX, name="a name", kind="ptx"), FUNCTION], "sm_90", compile=compile, max_registers=40, ptxas_options=["-O1"])
        self.assertEqual([kernel.name for kernel in linked.kernels], ["first", "second"])
        request, = asked
        self.assertEqual((request.source, request.arch, request.name), (PTX, "sm_90", "a name"))
        self.assertIn("-c", request.options)
        self.assertIn("-O1", request.options)
        self.assertTrue(any("40" in option for option in request.options), request.options)

    def test_what_it_says_is_a_message(self):
        linked = link([PTX, FUNCTION], "sm_90", compile=lambda _: Compiled(bytearray(KERNEL.read_bytes()), "warning: mine"))
        self.assertEqual([(message.severity, message.text) for message in linked.diagnostics], [("verbatim", "warning: mine")])

    def test_what_it_raises_is_the_cause(self):
        def compile(request):
            raise KeyError("mine")

        with self.assertRaises(lld_cuda.CompileError) as caught:
            link([PTX], "sm_90", compile=compile)
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertIn("KeyError: 'mine'", caught.exception.log)

    def test_what_it_raises_may_have_no_text(self):
        class Silent(Exception):
            def __str__(self):
                raise ValueError

        def compile(request):
            raise Silent

        with self.assertRaises(lld_cuda.CompileError) as caught:
            link([PTX], "sm_90", compile=compile)
        self.assertIsInstance(caught.exception.__cause__, Silent)
        self.assertIn("Silent", caught.exception.log)

    def test_what_ends_a_program_goes_through(self):
        for kind in (KeyboardInterrupt, SystemExit):
            def compile(request, kind=kind):
                raise kind

            with self.assertRaises(kind):
                link([PTX], "sm_90", compile=compile)

    def test_what_it_returns_has_to_be_a_cubin(self):
        for wrong, cause in ((None, TypeError), (1, TypeError), (b"", None), (b"nothing", None)):
            with self.assertRaises(lld_cuda.LinkError, msg=repr(wrong)) as caught:
                link([PTX], "sm_90", compile=lambda _, wrong=wrong: wrong)
            if cause:
                self.assertIsInstance(caught.exception.__cause__, cause)

    def test_many(self):
        """Threads of the library call it at once."""
        one = (INPUTS / "calls/alias.sm_90.cubin").read_bytes()
        inputs = [PTX + b"// %d\n" % i for i in range(16)]
        calls = []

        def compile(request):
            calls.append(request.source)
            return one if request.source == inputs[0] else FUNCTION.read_bytes()

        with self.assertRaises(lld_cuda.LinkError):  # Fifteen define the same function.
            link(inputs, "sm_90", compile=compile)
        self.assertEqual(sorted(calls), sorted(inputs))

    def test_a_link_in_a_callback(self):
        def compile(request):
            return link([KERNEL], "sm_90", relocatable=True).cubin

        self.assertEqual(len(link([PTX, FUNCTION], "sm_90", compile=compile).kernels), 2)


@unittest.skipUnless(ptxas(), "no ptxas")
class PtxasTest(unittest.TestCase):
    def test_ptx(self):
        kernel, = link([PTX], "sm_90", ptxas=ptxas()).kernels
        self.assertEqual(kernel.name, "k")

    def test_errors(self):
        with self.assertRaises(lld_cuda.CompileError) as caught:
            link([(PTX + b"nonsense", "a.ptx")], "sm_90", ptxas=ptxas())
        self.assertIn("nonsense", caught.exception.log)

    def test_no_such_program(self):
        with self.assertRaises(lld_cuda.CompileError):
            link([PTX], "sm_90", ptxas="/nowhere/ptxas")
