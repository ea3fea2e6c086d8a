#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A ptxas whose messages are the comments "// says TEXT" of its input, and whose output is the file of a comment
# "// makes PATH"; it fails without one.
while [ $# -gt 0 ]; do
  case $1 in
  -o) output=$2 && shift ;;
  -*) ;;
  *) input=$1 ;;
  esac
  shift
done
sed -n 's,^// says ,,p' "$input" >&2
cubin=$(sed -n 's,^// makes ,,p' "$input")
[ -n "$cubin" ] || exit 255
cp "$cubin" "$output"
