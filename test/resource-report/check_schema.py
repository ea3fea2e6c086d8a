# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_schema.py SCHEMA FILE...: fails if a file hasn't got the schema's form.
Says so and succeeds where Python's jsonschema isn't there."""
import json
import sys

try:
    import jsonschema
except ImportError:
    print("no jsonschema")
    sys.exit()
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
for path in sys.argv[2:]:
    jsonschema.validate(json.load(open(path)), schema, jsonschema.Draft202012Validator)
