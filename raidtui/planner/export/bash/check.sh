# shows KEY WANTED... -- COMMAND...: in the output of the command each KEY has the value WANTED.
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

# check_disks: each disk is the one meant, nobody uses it, and it holds what it held when the plan was made.
check_disks() {
  local n now bad problem
  look
  look_for_users
  for n in "${!DISKS[@]}"; do
    row "$n"
    bad=()
    now=${facts[n]-not there}
    if [[ $now != "disk $bytes $sector 0|$model|$serial|$wwn" ]]; then bad+=("it is not the disk meant: $now"); fi
    if [[ -n ${held[n]} ]]; then bad+=("it is in use:${held[n]}"); fi
    if [[ -n ${open[n]-} ]]; then bad+=("it is in use: ${open[n]}"); fi
    now=${ends[n]-unreadable}
    if [[ $now != "$planned" && "$planned $now" != 'zeros blank' ]]; then
      bad+=("its content changed since the plan was made: it holds $(on_it "$n"); both ends: $now, planned $planned")
    fi
    if ! same_lines "${parts[n]}" "${PARTS[n]-}"; then bad+=("its partitions are not those of the plan: ${parts[n]//$'\n'/; }"); fi
    if [[ -z ${signs[n]+set} ]]; then
      bad+=("its signatures cannot be read")
    elif ! signs_planned "$n"; then
      bad+=("it has signatures that it did not have when the plan was made: ${signs[n]}")
    fi
    if [[ ${#bad[@]} -eq 0 ]]; then say "  ok: $title: the disk meant, unused, content as planned"; fi
    for problem in "${bad[@]}"; do say "  NOT SO: $title: $problem"; done
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

# signs_planned N: no signature that the fingerprint of both ends does not cover and the plan does not name.
signs_planned() {
  local kind
  if [[ $planned == blank && -n ${signs[$1]} ]]; then return 1; fi
  for kind in ${beyond[$1]-}; do if [[ " ${CONTENT[$1]-} " != *" $kind "* ]]; then return 1; fi; done
}
