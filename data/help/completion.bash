_mistro() {
  local cur=${COMP_WORDS[COMP_CWORD]} words key=
  COMPREPLY=()
  if [[ $cur == -* ]]; then words=$_mistro_flags
  elif ((COMP_CWORD == 1)); then words=$_mistro_commands
  else
    case ${COMP_WORDS[1]} in
    tool | call) words=$(mistro tools 2>/dev/null </dev/null | cut -f1 |
      grep -E '^[A-Za-z0-9_./-]+$') ;;
    prompt)
      if [[ $cur == = ]]; then cur= key=${COMP_WORDS[COMP_CWORD - 1]}
      elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        key=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      words=$(if [[ $key ]]; then
        mistro prompt "${COMP_WORDS[2]}" --complete "$key=$cur"
      else mistro prompts | cut -f1; fi 2>/dev/null </dev/null |
      grep -E '^[A-Za-z0-9_./-]+$') ;;
    servers) words='add remove review login logout' ;;
    consensus)
      if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --roleset ]]; then
        words=$(mistro consensus --list 2>/dev/null </dev/null |
          grep -E '^[A-Za-z0-9_-]+$')
      else return; fi ;;
    runs) words='list show events export replay stats' ;;
    sessions) words='list show search rename export delete' ;;
    plans) words='check graph list' ;;
    schema) words='plan' ;;
    config) words='show path check' ;;
    serve) words='workspace agent mock replay' ;;
    completion) words='bash zsh fish' ;;
    help) words=$_mistro_commands ;;
    *) return ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _mistro mistro
