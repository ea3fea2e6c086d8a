# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tool-options.py SOURCE TOOL...: are the tool's options those of its manual page?"""

import re
import subprocess
import sys
from pathlib import Path

source, *tools = sys.argv[1:]
for tool in tools:
    name = Path(tool).name
    manual = Path(source, f"docs/manual/{name}.rst").read_text()
    described = set()
    for line in re.findall(r"^\.\. option:: (.*)", manual, re.M):
        described |= {word.lstrip("-") for word in re.findall(r"(?:^|, )(--?[\w-]+)", line)}
    text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    own = text.split(f"{name} options:")[1].split("EXAMPLES:")[0]
    shown = {word.lstrip("-") for word in re.findall(r"^ +(--?[\w-]+)", own, re.M)}
    assert shown and shown == described, (name, sorted(shown ^ described))
    print(name, "has", len(shown), "options")
