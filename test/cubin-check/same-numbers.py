# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same-numbers.py REPORT OTHER: does OTHER have the kernels of REPORT's image with the same numbers?"""

import json
import sys


def kernels(path):
    return {(image["arch"], kernel["symbol"]): kernel for image in json.load(open(path))["images"] for kernel in image["kernels"]}


def numbers(kernel):
    # What is 0 isn't there.
    totals = [kernel[key]["total"] for key in ("registers", "barriers")]
    return totals + [kernel.get(key) for key in ("stackBytes", "localBytes", "shared", "codeBytes", "occupancy")]


first, second = kernels(sys.argv[1]), kernels(sys.argv[2])
for key, kernel in first.items():
    if numbers(kernel) != numbers(second[key]):
        sys.exit(f"{key}: {numbers(kernel)}, {numbers(second[key])}")
print(len(first), "kernels agree")
