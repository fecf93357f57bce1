_mistro() {
  local line=$COMP_LINE cur=${COMP_WORDS[COMP_CWORD]} words=() word gap kept
  # Bash splits words at = : and @. What follows without a gap is the same word.
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    gap=${line%%"$word"*}
    line=${line#"$gap$word"}
    if [[ ! $word || $gap ]] || ((${#words[@]} == 0)); then words+=("$word"); else words[-1]+=$word; fi
  done
  [[ $cur != [=:@]* ]] || cur=
  kept=${words[-1]%"$cur"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
    :files) # of which bash itself completes none behind an @
      compopt -o default
      [[ $2 != @* ]] || while IFS= read -r word; do
        [[ ! -d $word ]] || { word+=/; compopt -o nospace; }
        COMPREPLY+=("$(printf '@%q' "$word")")
      done < <(compgen -f -- "${2#@}") ;;
    :folders) compopt -o dirnames ;;
    *) COMPREPLY+=("${word#"$kept"}") ;;
    esac
    [[ $word != *[=/] ]] || compopt -o nospace
  done < <(mistro completion words -- "${words[@]:1}" </dev/null 2>/dev/null)
}
complete -F _mistro mistro
