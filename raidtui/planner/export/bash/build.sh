# give_up_content: requires consent for each disk with content: its kind or the disk's serial number, by
# --accept-content or typed.
give_up_content() {
  local n word kind left
  local -A known=() given_up=()
  for n in "${!CONTENT[@]}"; do for word in "${NAMES[n]}" ${KINDS[n]}; do known[$word]=yes; done; done
  for word in "${given[@]}"; do
    if [[ -z ${known[${word:-none}]-} ]]; then stop 2 "--accept-content $word: no disk with content has this serial number or kind"; fi
    given_up[$word]=yes
  done
  for n in "${!CONTENT[@]}"; do
    row "$n"
    left=
    for kind in ${KINDS[n]}; do if [[ -z ${given_up[$kind]-} ]]; then left=$kind; fi; done
    if [[ -z $left || -n ${given_up[${NAMES[n]}]-} ]]; then continue; fi
    word=$(on_it "$n")
    say "$title now holds: $word. When the plan was made it held: ${CONTENT[n]}."
    if [[ -n $given_tail || ! -t 0 ]]; then
      stop 1 "erasing this content needs consent: add --accept-content ${NAMES[n]}, or $left for all of that kind"
    fi
    printf 'Type its serial number %s to erase this content: ' "${NAMES[n]}"
    IFS= read -r word || :
    [[ $word == "${NAMES[n]}" ]] || stop 1 "erasing the content of ${NAMES[n]} was not confirmed; nothing was written"
  done
}

given_tail='' only_check='' given=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --check) only_check=yes; shift ;;
    --yes-erase) given_tail=${2-none}; shift; shift || : ;;
    --accept-content) given+=("${2-none}"); shift; shift || : ;;
    *) printf 'usage: %s [--check] [--accept-content KIND|SERIAL]... [--yes-erase DIGEST_TAIL]\n' "$0" >&2; exit 2 ;;
  esac
done
