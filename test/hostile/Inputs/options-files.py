# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes options files into the current directory."""

from pathlib import Path

MB = 1 << 20
Path("long").write_text(" " * MB)
Path("yes").write_text("-optf long @long " * 70)
Path("some").write_text("-v " * 400)
Path("words").write_text("-optf some @some " * 3000)
# 2^20 files, each of which is small.
for i in range(20):
    Path(f"tree{i}").write_text(f"@tree{i + 1} @tree{i + 1}")
Path("tree20").write_text("-v")
Path("self").write_text("-optf self")
Path("selfat").write_text("@selfat")
Path("outer").write_text("-arch=sm_90 --options-file inner")
Path("inner").write_text("\xef\xbb\xbf'two words.cubin'", encoding="latin-1")
