# shows KEY WANTED... -- COMMAND...: requires that each KEY has the value WANTED in the output of the command.
shows() {
  local pairs=() n what
  while [[ $1 != -- ]]; do
    pairs+=("$1" "$2")
    shift 2
  done
  shift
  for ((n = 0; n < ${#pairs[@]}; n += 2)); do
    what="${*: -1} has ${pairs[n]} ${pairs[n + 1]}"
    if ask "${pairs[n]}" 0 "$@" && [[ $got == "${pairs[n + 1]}" ]]; then
      say "  ok: $what"
    else
      not_so "$what" "${pairs[n + 1]}" "$@"
    fi
  done
}

# check_disks: requires that each disk is the planned one, is unused, and has the content it had when the plan was made.
check_disks() {
  local n now bad problem
  look
  look_for_users
  for n in "${!DISKS[@]}"; do
    row "$n"
    bad=()
    now=${facts[n]-missing}
    if [[ $now != "$expected" ]]; then bad+=("it is not the planned disk: $now"); fi
    if [[ -n ${held[n]} ]]; then bad+=("it is in use:${held[n]}"); fi
    if [[ -n ${open[n]-} ]]; then bad+=("it is in use: ${open[n]}"); fi
    now=${ends[n]-unreadable}
    if [[ $now != "$planned" && "$planned $now" != 'zeros blank' ]]; then
      bad+=("its content changed since the plan was made: now $(on_it "$n"); both ends: $now, planned $planned")
    fi
    if ! same_lines "${parts[n]}" "${PARTS[n]-}"; then bad+=("its partitions differ from the plan: ${parts[n]//$'\n'/; }"); fi
    if [[ -z ${signs[n]+set} ]]; then
      bad+=("its signatures cannot be read")
    elif ! signs_planned "$n"; then
      bad+=("it has signatures that are not in the plan: ${signs[n]}")
    fi
    if [[ ${#bad[@]} -eq 0 ]]; then say "  ok: $title: the planned disk, unused, content as planned"; fi
    for problem in "${bad[@]}"; do say "  FAILED: $title: $problem"; done
    if [[ ${#bad[@]} -gt 0 ]]; then
      if [[ -z $checking ]]; then stop 4 "a disk is not as planned"; fi
      wrong=$((wrong + 1))
    fi
  done
}

same_lines() {
  local one two
  if [[ $1 == "$2" ]]; then return; fi
  one=$(sort <<<"$1")
  two=$(sort <<<"$2")
  [[ $one == "$two" ]]
}

# signs_planned N: true if the plan names every signature that the fingerprint of both ends does not cover.
signs_planned() {
  local kind
  if [[ $planned == blank && -n ${signs[$1]} ]]; then return 1; fi
  for kind in ${beyond[$1]-}; do if [[ " ${CONTENT[$1]-} " != *" $kind "* ]]; then return 1; fi; done
}

# takes WORD... -- COMMAND...: requires that the help that COMMAND prints names each option; `|` joins two spellings.
takes() {
  local words=() word text
  while [[ $1 != -- ]]; do
    words+=("$1")
    shift
  done
  shift
  text=$("$@" </dev/null 2>&1) || :
  for word in "${words[@]}"; do
    if [[ $text == *"${word%|*}"* || $text == *"${word#*|}"* ]]; then
      say "  ok: $1 takes ${word%|*}"
    else
      say "  FAILED: this $1 has no option ${word%|*}"
      wrong=$((wrong + 1))
    fi
  done
}
