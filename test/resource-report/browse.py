# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""browse.py PAGE: what a browser makes of the page: "script ran", or that there is no browser to tell.

The page's policy names the script by its hash; a browser that took another one for it would not run it.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if not browser:
    print("no browser")
    sys.exit()
page = pathlib.Path(sys.argv[1]).resolve()
with tempfile.TemporaryDirectory() as folder:
    shown = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--dump-dom",
                            f"{page.as_uri()}{''.join(sys.argv[2:])}"], capture_output=True, text=True, timeout=120, check=True).stdout
wanted = ('<button type="button">Registers</button>', '<input type="search">', "4 of 4 kernels", '<details open="">')
missing = [text for text in wanted if text not in shown]
print(f"missing: {missing}" if missing else "script ran")
