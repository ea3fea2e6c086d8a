# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# complete.zsh FOLDER COMMAND-LINE: what zsh offers for the last word. zsh completes
# only at a prompt, so a second shell has a terminal of its own; there compadd, by which
# completions offer words, prints them.
zmodload zsh/zpty || exit 2
zpty shell env TERM=dumb zsh -f -i
settings=$(mktemp)
trap 'rm -f $settings' EXIT
cat >$settings <<END
PROMPT= fpath=($1 \$fpath)
autoload -U compinit && compinit -u -D
bindkey '^I' complete-word
mark() { print -r -- @@@ }
compprefuncs=(mark) comppostfuncs=(mark)
compadd() {
  [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]] && { builtin compadd "\$@"; return }
  local -a offered; local word
  builtin compadd -A offered "\$@"
  for word in \$offered; do print -r -- "@\$word"; done
}
print -r -- ready
END
zpty -w shell "source $settings"
zpty -r shell line '*ready*' || exit 2
zpty -n -w shell "$2"$'\t'
zpty -r shell line '*@@@*@@@*' || exit 2
print -r -- "$line" | tr -d '\r' | sed -n 's/.*@\([^@].*\)/\1/p' | sort -u
zpty -d shell
