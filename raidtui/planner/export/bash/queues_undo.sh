# restore_queues RULE SCHEDULER DEPTH: sets the I/O scheduler and queue depth that each disk had before the build, where
# it still has those of the plan.
restore_queues() {
  local n scheduler depth path
  if [[ -e $1 || ! -e $STATE/disk-queues ]]; then
    say "KEPT: the running I/O scheduler and queue depth of the disks, until the next boot."
    return
  fi
  while read -r scheduler depth path; do
    n=${NUMBER[$path]-}
    if [[ -z $n ]]; then continue; fi
    same "$path"
    restore_queue "$n" queue/scheduler "$2" "$scheduler"
    restore_queue "$n" device/queue_depth "$3" "$depth"
  done <"$STATE/disk-queues"
}

# restore_queue N NAME PLANNED FORMER
restore_queue() {
  local file now
  if [[ -z $3 || $4 == - || $3 == "$4" ]] || ! queue_value "$1" "$2" || [[ $now != "$3" ]]; then return; fi
  say "  writes $4 into $file"
  printf '%s\n' "$4" >"$file" || stop 3 "$file does not take $4"
  queue_value "$1" "$2"
  [[ $now == "$4" ]] || stop 3 "$file reads $now after $4 was written"
}
