# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: a model of them, features that fill it, and PTX made from it."""
