# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links: cases on disk, tools that run them, verdicts, and making failures small."""
