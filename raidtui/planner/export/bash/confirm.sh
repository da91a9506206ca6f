# confirm VERB SENTENCE: requires a phrase typed on the terminal, or the end of the digest in option --yes-VERB.
confirm() {
  local phrase wanted="$1 ${#DISKS[@]} ${DIGEST: -8}"
  say "$2"
  if [[ -n $given_tail ]]; then
    [[ $given_tail == "${DIGEST: -8}" ]] || stop 1 "--yes-$1 $given_tail does not match this plan: expected the last 8 digits of its digest"
    return
  fi
  [[ -t 0 ]] || stop 1 "no terminal to confirm on: read the script, then add --yes-$1 and the last 8 digits of the digest"
  printf 'Type "%s" to go on: ' "$wanted"
  IFS= read -r phrase || :
  [[ $phrase == "$wanted" ]] || stop 1 "not confirmed; nothing was written"
}

# start_log: creates the state directory and the log; before it the script writes nothing.
start_log() {
  local folder mode
  for folder in "${STATE%/*}" "$STATE"; do
    if [[ ! -e $folder && ! -L $folder ]]; then install --directory --mode=0700 "$folder"; fi
    mode=$(stat --format=%a -- "$folder")
    if [[ -L $folder || ! -d $folder || ! -O $folder || $((8#$mode & 8#022)) -ne 0 ]]; then
      stop 1 "$folder must be a directory that belongs to root and only root may write to; nothing was written"
    fi
  done
  log=$STATE/log
  (umask 077; : >>"$log")
  say "run of $0 with digest $DIGEST"
}
