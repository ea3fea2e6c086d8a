#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A ptxas that says in $STUB_LOG what files it has found open. Its output is $STUB_CUBIN; if there is none, it fails.
for fd in /proc/$$/fd/*; do
  # The shell's own, for this script, is far up.
  case ${fd##*/} in [0-9]) echo "${fd##*/}" ;; esac
done >"$STUB_LOG"
while [ "$1" != -o ]; do shift; done
[ -n "$STUB_CUBIN" ] || {
  echo "ptxas fatal   : no cubin"
  exit 255
}
cp "$STUB_CUBIN" "$2"
