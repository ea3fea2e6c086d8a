#!/bin/sh
# lld-cuda as nvlink, with nvlink's note.
exec "$(dirname "$(readlink -f "$0")")/lld-cuda" -flavor nvlink --nvlink-note "$@"
