# server.sh DIR: a process that stays until DIR/ended is there, asks nvlink before and after, and says so in DIR/answers.txt.
cd "$1"
(
  "$1/cuda/bin/nvlink" --version | sed -n 's/^lld-cuda.*/during: lld-cuda/p' >answers.txt
  touch asked
  until [ -e ended ]; do sleep 0.1; done
  echo "afterwards: $("$1/cuda/bin/nvlink" a b)" >>answers.txt
  echo "preloaded: $(env | sed -n 's/^LD_PRELOAD=//p' | grep . || echo nothing)" >>answers.txt
  touch done
) >/dev/null 2>&1 &
until [ -e asked ]; do sleep 0.1; done
