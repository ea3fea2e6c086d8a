#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check-archive.sh ARCHIVE MEMBER EXPECTED: prunes it, and sees that names of members, the map of symbols and
# the first member's header, but for its size, stay, and that MEMBER has the bytes of EXPECTED in front.
set -euo pipefail
cubin-prune --keep=sm_90 "$1" -o pruned.a
diff <(llvm-nm --print-armap "$1") <(llvm-nm --print-armap pruned.a)
diff <(llvm-ar t "$1") <(llvm-ar t pruned.a)
cmp <(llvm-ar p pruned.a "$2" | head -c "$(stat -c %s "$3")") "$3"
cmp <(head -c 56 "$1") <(head -c 56 pruned.a)
llvm-nm --print-armap pruned.a | grep -q " in $2"
