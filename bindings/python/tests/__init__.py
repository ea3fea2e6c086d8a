# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the package: python -m unittest discover -t bindings/python -s bindings/python/tests

lld_cuda has to be importable: installed, or as tests/stage.py puts it together from a build.
"""
