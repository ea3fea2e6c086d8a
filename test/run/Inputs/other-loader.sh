# other-loader.sh CC DIR: makes DIR/program, which prints LD_PRELOAD and whose loader is a copy of the system's with musl's name,
# and DIR/other.so, an object that can be preloaded.
set -e
cd "$2"
cat >program.c <<'TEXT'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const char *preload = getenv("LD_PRELOAD");
  printf("LD_PRELOAD: %s\n", preload ? preload : "none");
}
TEXT
loader=$(readelf -l "$(command -v env)" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
cp "$(readlink -f "$loader")" ld-musl-copy.so.1
"$1" program.c -o program -Wl,--dynamic-linker="$2/ld-musl-copy.so.1"
echo 'int other;' | "$1" -x c - -shared -fPIC -o other.so
