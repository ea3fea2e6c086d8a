# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_policy.py PAGE...: a page's policy allows its one style and its one script, by their hashes, and
nothing else; and nothing in it would need more: no handler and no style in an attribute, no link that leaves it."""

import base64
import hashlib
import html.parser
import re
import sys


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.policy, self.element, self.texts = None, None, {"style": [], "script": []}

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        assert tag not in ("iframe", "object", "embed", "link", "base", "form", "img"), tag
        for name, value in attributes:
            assert not name.startswith("on") and name not in ("style", "src", "srcdoc"), (tag, name)
            assert name != "href" or value.startswith("#"), value
        if tag in self.texts:
            assert not attributes
            self.texts[tag].append("")
            self.element = tag

    def handle_endtag(self, tag):
        if tag == self.element:
            self.element = None

    def handle_data(self, data):
        if self.element:
            self.texts[self.element][-1] += data


for path in sys.argv[1:]:
    page = Page()
    page.feed(open(path, encoding="utf-8", newline="").read())
    wanted = "default-src 'none'"
    for tag in ("style", "script"):
        text, = page.texts[tag]
        wanted += f"; {tag}-src 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
    assert page.policy == wanted + "; base-uri 'none'; form-action 'none'", (page.policy, wanted)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|fetch|XMLHttp", page.texts["script"][0])
