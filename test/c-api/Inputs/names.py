# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""names.py HEADER: what readelf lists on standard input is what the header declares."""
import re
import sys

declared = set(re.findall(r"LLDCUDA_API[^;(]*?\b(lldcuda_\w+)\(", open(sys.argv[1]).read()))
exported = set()
for line in sys.stdin:
    words = line.split()
    if len(words) < 8 or words[4] not in ("GLOBAL", "WEAK") or words[6] == "UND":
        continue
    if words[7] != "LLDCUDA_0@@LLDCUDA_0" and words[3] != "NOTYPE":
        exported.add(words[7])
assert len(declared) > 15, declared
expected = {name + "@@LLDCUDA_0" for name in declared}
exported.discard("LLDCUDA_0")
if expected != exported:
    sys.exit(f"missing: {expected - exported}\nnot declared: {exported - expected}")
