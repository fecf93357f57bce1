#compdef mistro
_mistro() {
  local line word
  local -a whole begun
  for line in "${(@f)$(mistro completion words -- "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null </dev/null)}"; do
    word=${line%%$'\t'*}
    case $word in
    '') ;;
    :files) compset -p ${line#*$'\t'}; _files; return ;;
    :folders) compset -p ${line#*$'\t'}; _files -/; return ;;
    *[=/]) begun+=("$word:${line#*$'\t'}") ;;
    *) whole+=("$word:${line#*$'\t'}") ;;
    esac
  done
  _describe -V mistro whole -- begun -S ''
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
if [[ $funcstack[1] == _mistro ]]; then _mistro "$@"; else compdef _mistro mistro; fi
