# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# complete.bash FILE WORD...: what bash offers for the last word.
file=$1
shift
source "$file"
# As readline splits a command line: = is a word of its own.
COMP_WORDS=()
for word in "$@"; do
  if [[ $word == -*=* ]]; then
    COMP_WORDS+=("${word%%=*}" "=")
    [[ -n ${word#*=} ]] && COMP_WORDS+=("${word#*=}")
  else
    COMP_WORDS+=("$word")
  fi
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
# complete -F NAME PROGRAM
read -r _ _ function _ < <(complete -p "${COMP_WORDS[0]}")
"$function" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}" | sort -u
