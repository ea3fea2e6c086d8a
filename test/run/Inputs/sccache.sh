#!/bin/sh
# Runs a command with a server of sccache of its own, whose cache is in the folder "cache" here, and prints the server's count of hits.
export SCCACHE_DIR="$PWD/cache" SCCACHE_SERVER_PORT=$((20000 + $$ % 20000)) SCCACHE_IDLE_TIMEOUT=60
trap 'sccache --stop-server >stopped 2>&1' EXIT
"$@" || exit 1
sccache --show-stats | grep '^Cache hits  '
