# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_page.py PAGE...: fails if a page isn't valid HTML by the rules of the
standard's parser. Says so and succeeds where Python's html5lib isn't there."""
import sys

try:
    import html5lib
except ImportError:
    print("no html5lib")
    sys.exit()
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as page:
        html5lib.HTMLParser(strict=True).parse(page.read())
