#!/bin/sh
# An nvcc that does nothing.
echo "installed nvcc: $*"
