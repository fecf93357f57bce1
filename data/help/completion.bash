_mistro() {
  local cur=${COMP_WORDS[COMP_CWORD]} words key= at=1 ids
  COMPREPLY=()
  # Global flags may stand before the command, some with a value, which is none.
  while ((at < COMP_CWORD)) && [[ " $_mistro_commands " != *" ${COMP_WORDS[at]} "* ]]; do
    ((at++))
  done
  if [[ $cur == -* ]]; then words=$_mistro_flags
  elif ((at == COMP_CWORD)); then
    case ${COMP_WORDS[at - 1]} in
    -o | --output | --*config | --record | --replay) return ;; # a file
    *) words=$_mistro_commands ;;
    esac
  else
    case ${COMP_WORDS[at]} in
    tool | call) words=$(mistro tools 2>/dev/null </dev/null | cut -f1 |
      grep -E '^[A-Za-z0-9_./-]+$') ;;
    prompt)
      if [[ $cur == = ]]; then cur= key=${COMP_WORDS[COMP_CWORD - 1]}
      elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        key=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      words=$(if [[ $key ]]; then
        mistro prompt "${COMP_WORDS[at + 1]}" --complete "$key=$cur"
      else mistro prompts | cut -f1; fi 2>/dev/null </dev/null |
      grep -E '^[A-Za-z0-9_./-]+$') ;;
    servers) words='add remove review login logout' ;;
    consensus)
      if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --roleset ]]; then
        words=$(mistro consensus --list 2>/dev/null </dev/null |
          grep -E '^[A-Za-z0-9_-]+$')
      else return; fi ;;
    runs) words='list show resume fork events export replay stats prune' ids=runs ;;
    sessions) words='list show search rename export import delete' ids=sessions ;;
    plans) words='check graph list save' ;;
    schema) words='plan' ;;
    config) words='show path check' ;;
    serve) words='workspace agent mock replay' ;;
    completion) words='bash zsh fish' ;;
    help) words=$_mistro_commands ;;
    *) return ;;
    esac
    # Of what is behind the word of runs and sessions only ids are known.
    if [[ $ids ]] && ((COMP_CWORD > at + 1)); then
      ((COMP_CWORD == at + 2)) || return
      words=$(mistro $ids 2>/dev/null </dev/null | cut -f1 | grep -E '^[A-Za-z0-9_.-]+$')
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _mistro mistro
