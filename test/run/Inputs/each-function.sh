# each-function.sh LLD-CUDA DIR "FUNCTION..." FOLDER: starts FOLDER's nvlink, or the one on PATH, by each function. Says who
# answered.
PATH=$2/cuda/bin:$PATH
for function in $3; do
  "$1" --run "$2/starts" "$function" "$4nvlink" --version --version >"$2/answer.txt" 2>&1
  status=$?
  if [ $status = 0 ] && grep -q 'lld-cuda' "$2/answer.txt"; then
    echo "$function: lld-cuda"
  else
    echo "$function: status $status: $(cat "$2/answer.txt")"
  fi
done
