# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks JSON documents against a schema.

Usage: schema.py SCHEMA DOCUMENT...
"""

import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
for path in sys.argv[2:]:
    jsonschema.validate(json.load(open(path)), schema)
print(len(sys.argv) - 2, "documents are valid")
