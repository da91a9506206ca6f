zeroing=() begun=0 took=0

# check_write_zeroes: requires that the drive of each member zeroes by itself: else the kernel would write every byte.
check_write_zeroes() {
  local n most file
  for n in "${!DISKS[@]}"; do
    row "$n"
    if [[ $becomes == spare* ]]; then continue; fi
    most=0 file=/sys/class/block/${node[n]##*/}/queue/write_zeroes_max_bytes
    if [[ -e $file ]]; then most=$(<"$file"); fi
    if [[ $most -eq 0 ]]; then
      say "  FAILED: $title has no Write Zeroes: plan with --first-sync resync"
      wrong=$((wrong + 1))
    fi
  done
}

# still_blank: stops if a disk that was blank has got something since: a signature, or bytes at eight places.
still_blank() {
  local n other
  unsigned "${MEMBERS[@]}"
  for n in "${!DISKS[@]}"; do
    row "$n"
    other=$(between)
    if [[ $planned == blank && $other -ne 0 ]]; then stop 4 "$title was written to since it was wiped"; fi
  done
  zeroing=() begun=${EPOCHREALTIME/[.,]/}
}

# begin COMMAND...: like `run`, but does not wait for the end: `ended` does.
begin() {
  local line
  printf -v line ' %q' "$@"
  asked=
  say "  \$$line &"
  same "$@"
  (trap '' INT TERM; exec "$@" </dev/null >>"$log" 2>&1) &
  zeroing[$!]=$line
}

# ended: waits for all that `begin` started, sets `took` (microseconds), stops if one failed. Ctrl-C takes effect after.
ended() {
  local pid code failed=''
  trap '' INT TERM
  for pid in "${!zeroing[@]}"; do
    code=0
    wait "$pid" || code=$?
    if [[ $code -ne 0 ]]; then failed="exit code $code of:${zeroing[pid]}"; fi
  done
  took=$((${EPOCHREALTIME/[.,]/} - begun))
  trap 'stop 130 interrupted' INT TERM
  [[ -z $failed ]] || stop 3 "$failed"
  same "${DISKS[@]}"
}

# measured TIMES SECONDS: the rest is TIMES as long as what took `took`; stops if that is longer than SECONDS.
measured() {
  local seconds=$((took * $1 / 1000000))
  say "  zeroing the rest takes about $((seconds / 60 + 1)) min"
  [[ $seconds -le $2 ]] || stop 1 "the drives zero too slowly: run undo.sh, then plan with --first-sync resync"
}
