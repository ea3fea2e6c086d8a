#!/bin/sh
# on-path.sh DIR COMMAND...: runs it with DIR in front of PATH.
PATH=$1:$PATH
shift
exec "$@"
