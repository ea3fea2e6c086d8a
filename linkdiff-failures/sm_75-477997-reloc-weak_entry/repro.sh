#!/bin/sh
# Links this case with the oracle and with the linker under test, and compares.
# Usage: repro.sh     (override with LINKER=..., ORACLE=..., LINKDIFF=...)
cd "$(dirname "$0")" || exit 2
LINKER=${LINKER:-/work/base/build/bin/lld-cuda}
ORACLE=${ORACLE:-/usr/local/cuda/bin/nvlink}
LINKDIFF=${LINKDIFF:-/work/shared/linkdiff}
rm -rf work-oracle work-linker
mkdir work-oracle work-linker
for d in work-oracle work-linker; do cp m0.cubin m1.cubin m2.cubin $d/; done

echo '--- link 1: oracle'
(cd work-oracle && $ORACLE -arch=sm_75 -r m0.cubin m1.cubin -o part.cubin); echo "status $?"
echo '--- link 1: linker'
(cd work-linker && $LINKER -arch=sm_75 -r m0.cubin m1.cubin -o part.cubin ); echo "status $?"
python3 "$LINKDIFF/compare.py" work-oracle/part.cubin work-linker/part.cubin
cp work-oracle/part.cubin work-linker/

echo '--- link 2: oracle'
(cd work-oracle && $ORACLE -arch=sm_75 part.cubin m2.cubin -o out.cubin); echo "status $?"
echo '--- link 2: linker'
(cd work-linker && $LINKER -arch=sm_75 part.cubin m2.cubin -o out.cubin ); echo "status $?"
python3 "$LINKDIFF/compare.py" work-oracle/out.cubin work-linker/out.cubin
cp work-oracle/out.cubin work-linker/

