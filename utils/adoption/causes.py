# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which rules of docs/reference a difference may be about: the first to look at, those that releases have changed before."""

import re

# Pattern of a kind of difference, anchors.
CAUSES = [
    (r"^section \.nv\.compat", ["compat-table", "compat-order", "compat-finalizer"]),
    (r"record EIATTR_(?:EXTERNS)", ["extern-new-order", "extern-records"]),
    (r"record EIATTR_(?:MIN_STACK_SIZE|FRAME_SIZE|REGCOUNT|MAX_STACK_SIZE)", ["resources-inherited", "attribute-order"]),
    (r"^section \.nv\.info.*only ours", ["attribute-finalizer-later", "attribute-inherited-later", "attribute-section-left-out"]),
    (r"^section \.nv\.info.*only nvlink's", ["attribute-inherited-later", "attribute-finalizer-later", "attribute-created-order"]),
    (r"^section \.nv\.info|\.nv\.merc\.nv\.info", ["attribute-inherited-later", "attribute-table"]),
    (r"order.*\.nv\.info", ["attribute-order", "attribute-finalizer-order"]),
    (r"order.*section headers|order.*shstrtab", ["file-of-finalizer", "mercury-appended", "section-buckets"]),
    (r"\.shstrtab", ["string-section-names", "string-unused-twins"]),
    (r"\.strtab", ["string-symbol-names", "string-unused-twins", "file-of-finalizer"]),
    (r"order.*\.symtab", ["symbol-order-weak", "symbol-lists", "symbol-order"]),
    (r"symbol", ["symbol-order-weak", "symbol-types", "shared-debug-link"]),
    (r"\.nv\.(?:merc\.nv\.)?(?:callgraph|prototype)", ["mercury-call-graph", "call-graph-format", "prototypes"]),
    (r"\.nv\.shared", ["shared-dynamic-alignment", "shared-empty-sections", "shared-module-level"]),
    (r"\.nv\.global", ["common-zero-definition", "common-and-definition", "global-appended"]),
    (r"\.nv\.constant2|optimizer", ["literals-pool", "file-of-finalizer"]),
    (r"\.nv\.constant", ["constant-size-symbol", "literal-banks-created", "section-parameter-bank-created"]),
    (r"\.(?:nv\.)?(?:merc\.)?rela?\.|relocation", ["relocation-fate", "relocatable-keeps-shared-references", "string-unused-twins"]),
    (r"\.debug_line|_line_", ["file-of-finalizer", "debug-lines-of-minima", "debug-rebuilt-tables"]),
    (r"\.debug_frame", ["debug-frame-remnants", "mercury-code-edits"]),
    (r"debug", ["debug-rebuilt-tables", "debug-registers-by-name"]),
    (r"\.text|capmerc", ["scoreboards-reallocated", "mercury-code-edits", "mercury-instruction-sizes"]),
    (r"header", ["file-header", "register-count-in-header"]),
    (r"segment", ["segments", "file-offsets"]),
    (r"^OTHER-FILE", ["register-file", "host-linker-script"]),
    (r"^(?:ACCEPTED|FAILED|OTHER-STATUS)", ["architecture-pairs", "common-zero-definition", "input-toolkit", "exit-status"]),
]


def causes_of(kind: str) -> list[str]:
    return next((anchors for pattern, anchors in CAUSES if re.search(pattern, kind)), [])
