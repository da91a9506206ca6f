# check_queues SCHEDULER DEPTH: requires that the kernel has the I/O scheduler, and that each disk's driver and SCSI host
# take the queue depth; an empty value is not checked.
check_queues() {
  local n file now each text most
  for n in "${!DISKS[@]}"; do
    row "$n"
    if [[ -n $1 ]]; then
      text=
      if queue_value "$n" queue/scheduler; then text=$(<"$file"); fi
      # the kernel loads the module by this alias when the name is written
      if [[ " ${text//[][]/} " != *" $1 "* ]] && ! modprobe --dry-run --quiet "$1-iosched" 2>/dev/null; then
        say "  FAILED: $title: the kernel has no I/O scheduler $1; it has: ${text:-none}"
        wrong=$((wrong + 1))
      fi
    fi
    if [[ -z $2 ]]; then continue; fi
    most=0
    file=/sys/class/block/${node[n]##*/}/device
    text=$(find "$file/queue_depth" -perm -0200 2>/dev/null) || text=
    if [[ -n $text ]]; then
      most=$2
      for each in "$file"/scsi_device/*; do
        each=${each##*/}
        if [[ -e /sys/class/scsi_host/host${each%%:*}/can_queue ]]; then most=$(<"/sys/class/scsi_host/host${each%%:*}/can_queue"); fi
      done
    fi
    if [[ $most -lt $2 ]]; then
      say "  FAILED: $title cannot get a queue depth of $2: its driver and controller take at most $most"
      wrong=$((wrong + 1))
    fi
  done
}

# keep_queues: writes I/O scheduler and queue depth of each disk to disk-queues; undo.sh and raidtui restore them.
keep_queues() {
  local n file now text
  if [[ -e $STATE/disk-queues ]]; then return; fi
  install --mode=0600 /dev/null "$STATE/disk-queues.new"
  for n in "${!DISKS[@]}"; do
    text=
    for file in queue/scheduler device/queue_depth; do
      queue_value "$n" "$file" || :
      text+="${now:--} "
    done
    printf '%s\n' "$text${DISKS[n]}" >>"$STATE/disk-queues.new"
  done
  sync -- "$STATE/disk-queues.new"
  mv -- "$STATE/disk-queues.new" "$STATE/disk-queues"
  say "  keeps the present I/O scheduler and queue depth of the disks in $STATE/disk-queues"
}
