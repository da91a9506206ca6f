declare -A blocks=()
# find_block FILE: looks for the plan's lines, blocks[FILE] between their marks, in a shared file. Sets `file` to its
# path without links, `wanted` to the lines, `at` to the number of the first, 0 where none is there, and `changed` to
# expected and found lines where they do not stand there once, together, as they were written. A trace of them is a line
# that names the run, or that equals one with a UUID.
find_block() {
  local n line last=0 lines=() run=${END#\# } ours=$'\n'
  at=0 changed='' wanted=()
  file=$(readlink -m -- "$1")
  mapfile -t wanted <<<"$BEGIN"$'\n'"${blocks[$1]}"$'\n'"$END"
  for line in "${wanted[@]}"; do
    if [[ $line =~ [0-9a-f]{8}[:-][0-9a-f]{4} ]]; then ours+=$line$'\n'; fi
  done
  if [[ ! -e $file ]]; then return; fi
  mapfile -t lines <"$file"
  for n in "${!lines[@]}"; do
    line=${lines[n]#"${lines[n]%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    if [[ "$line " != *"${run% end} "* && (-z $line || $ours != *$'\n'"$line"$'\n'*) ]]; then continue; fi
    last=$((n + 1))
    if [[ $at -eq 0 ]]; then at=$last; fi
  done
  if [[ $at -eq 0 ]]; then return; fi
  for n in "${!wanted[@]}"; do
    if [[ ${lines[at - 1 + n]-} != "${wanted[n]}" ]]; then changed=yes; fi
  done
  if [[ -z $changed && $last -lt $((at + ${#wanted[@]})) ]]; then return; fi
  changed="$1 does not have the plan's lines as they were written; expected"
  for line in "${wanted[@]}"; do changed+=" <$line>"; done
  changed+='; found'
  for ((n = at; n <= last && n < at + 20; n++)); do changed+=" $n <${lines[n - 1]}>"; done
  if [[ $n -le $last ]]; then changed+=" and more up to line $last"; fi
  changed+=': put the expected lines back, or remove those of the plan by hand'
}

# without_block COPY: prints the lines of a copy of that file without the plan's.
without_block() {
  if [[ $at -eq 0 ]]; then
    cat -- "$1"
  else
    head --lines="$((at - 1))" -- "$1"
    tail --lines="+$((at + ${#wanted[@]}))" -- "$1"
  fi
}
