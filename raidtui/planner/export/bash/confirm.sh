# confirm VERB SENTENCE: a typed phrase on a terminal, or the tail of the digest with this script's own option.
confirm() {
  local phrase wanted="$1 ${#DISKS[@]} ${DIGEST: -8}"
  say "$2"
  if [[ -n $given_tail ]]; then
    [[ $given_tail == "${DIGEST: -8}" ]] || stop 1 "--yes-$1 $given_tail is not the tail of this plan's digest"
    return
  fi
  [[ -t 0 ]] || stop 1 "no terminal to confirm on: read the script, then give --yes-$1 and the digest's last 8"
  printf 'Type "%s" to go on: ' "$wanted"
  IFS= read -r phrase || :
  [[ $phrase == "$wanted" ]] || stop 1 "not confirmed; nothing was written"
}

# start_log: the one place where a run begins to write.
start_log() {
  local folder mode
  for folder in "${STATE%/*}" "$STATE"; do
    if [[ ! -e $folder && ! -L $folder ]]; then install --directory --mode=0700 "$folder"; fi
    mode=$(stat --format=%a -- "$folder")
    if [[ -L $folder || ! -d $folder || ! -O $folder || $((8#$mode & 8#022)) -ne 0 ]]; then
      stop 1 "$folder is not a directory of root that only root may write to; nothing was written"
    fi
  done
  log=$STATE/log
  (umask 077; : >>"$log")
  say "run of $0 with digest $DIGEST"
}
