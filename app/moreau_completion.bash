# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of moreau for bash: options, parameter files, and the names of parameters behind --set and --sweep.
_moreau_parameters() {
  "$1" --parameters 2>/dev/null |
    awk '/^ *subsection / { sub(/^ *subsection /, ""); section = $0 "/" }
         /^ *end *$/ { section = "" }
         /^ *#? *set .*=/ { sub(/^ *#? *set /, ""); sub(/ *=.*/, ""); print section $0 "=" }'
}

_moreau() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} IFS=$'\n'
  case $before in
    --set | --sweep)
      mapfile -t COMPREPLY < <(compgen -W "$(_moreau_parameters "${COMP_WORDS[0]}")" -- "${word#[\"\']}")
      mapfile -t COMPREPLY < <(printf '%q\n' "${COMPREPLY[@]}")
      compopt -o nospace
      ;;
    --output)
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      ;;
    certify | convert)
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      compopt -o filenames
      ;;
    --parameters)
      mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --parameters 2>/dev/null | sed -n 's/^ *subsection //p')" -- "$word")
      mapfile -t COMPREPLY < <(printf '%q\n' "${COMPREPLY[@]}")
      ;;
    *)
      if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W $'--set\n--sweep\n--jobs\n--threads\n--output\n--resume\n--quiet\n--check\n--parameters\n--parameters=json\n--parameters=markdown\n--tolerance\n--units\n--dimension\n--help\n--version' -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -f -X '!*.prm' -- "$word" && true; compgen -d -S / -- "$word")
        if [ "$COMP_CWORD" -eq 1 ]; then
          mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W $'certify\nconvert' -- "$word")
        fi
        compopt -o filenames
      fi
      ;;
  esac
}
complete -F _moreau moreau
