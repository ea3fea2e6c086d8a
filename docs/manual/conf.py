# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The user's manual: HTML and man pages from the same source.
#   sphinx-build -b html docs/manual OUT      sphinx-build -b man docs/manual OUT

project = "lld-cuda"
author = "the lld-cuda developers"
copyright = author
extensions = []
exclude_patterns = []
html_theme = "alabaster"
html_theme_options = {"description": "A linker for CUDA device code"}
html_copy_source = False
smartquotes = False  # Options have two dashes.
man_pages = [
    ("lld-cuda", "lld-cuda", "link CUDA device code, under several names", author, 1),
    ("nvlink", "nvlink", "link CUDA device code, with nvlink's command line", author, 1),
    ("lld-cuda-lto", "lld-cuda-lto", "link-time optimization for lld-cuda", author, 1),
    ("reproducer", "reproducer", "run a link again that somebody packed, and make it small", author, 1),
    ("ld.cuda", "ld.cuda", "link CUDA device code", author, 1),
    ("cubin-check", "cubin-check", "tell on which GPUs programs and libraries run", author, 1),
    ("cubin-diff", "cubin-diff", "say how the device code of two files differs", author, 1),
    ("cubin-dump", "cubin-dump", "print what cubins hold", author, 1),
    ("cubin-prune", "cubin-prune", "remove device code that nobody needs", author, 1),
    ("cubin-size", "cubin-size", "show what the bytes of device code are for", author, 1),
    ("fatbinary", "fatbinary", "put device code for several architectures into one file", author, 1),
    ("run", "lld-cuda-run", "run a build with lld-cuda, without changing it", author, 1),
    ("lld-cuda-toolkit", "lld-cuda-toolkit", "make a CUDA toolkit that links with lld-cuda", author, 1),
]
