# say TEXT: prints to the terminal, and to the log once it exists. Control characters are replaced by '?'.
say() {
  local text=${1//[^[:print:]]/?}
  printf '%s\n' "$text" 2>/dev/null || :
  if [[ -n $log ]]; then printf '%(%FT%T)T %s\n' -1 "$text" >>"$log"; fi
}

# stop EXIT_CODE TEXT: prints the reason and exits.
stop() {
  stopped=yes
  say "STOPPED: $2"
  if [[ -n $log ]]; then say "The log is $log. $WAY_BACK"; fi
  exit "$1"
}

# leave: the EXIT trap.
leave() {
  local code=$?
  if [[ -n $looking ]]; then umount "$looking" && rmdir "$looking"; fi
  if [[ $code -ne 0 && -z $stopped ]]; then say "STOPPED: a command of this script failed with exit code $code. $WAY_BACK"; fi
}

# step TITLE
step() {
  asked=
  say "== $1"
}

# row N / array N / some N: sets variables to the fields of disk N, of array N, and to up to 16 disks from disk N on.
# `own` are the members of arrays on the disk: the disk, or its partitions, of which `member` is the first.
# shellcheck disable=SC2034 # not every script uses every field
row() {
  local part
  IFS='|' read -r path bytes sector wwn serial model becomes place planned table guid label span <<<"${TABLE[$1]}"
  expected="disk $bytes $sector 0|$model|$serial|$wwn"
  if [[ $path == */dm-uuid-mpath-* ]]; then expected="mpath $bytes $sector 0|${path#*/dm-uuid-}||"; fi
  own=()
  for part in $guid; do own+=("$path-part$((${#own[@]} + 1))"); done
  if [[ ${#own[@]} -eq 0 ]]; then own=("$path"); fi
  member=${own[0]}
  last=$((bytes - 4194304)) array=${becomes##* of } title="${place:+$place, }$path ($model, serial ${serial:-unknown})"
  uuid=${MARKS[$1]-${UUIDS[$array]-}} device=/dev/md/$array role=spare
  if [[ $becomes =~ ^member\ ([0-9]+) ]]; then role="Active device ${BASH_REMATCH[1]}"; fi
}
# shellcheck disable=SC2034
array() {
  local first count
  IFS='|' read -r array uuid volume first count <<<"${ARRAYS[$1]}"
  device=/dev/md/$array members=("${MEMBERS[@]:first:count}")
}
# shellcheck disable=SC2034
some() {
  local link kind
  some=("${DISKS[@]:$1:16}")
  which="${#some[@]} disks from ${some[0]} on"
  bare=
  for link in "${some[@]}"; do
    kind=disk
    if [[ $link == */dm-uuid-mpath-* ]]; then kind=mpath; fi
    bare+="${bare:+$'\n'}TYPE=\"$kind\" MOUNTPOINT=\"\""
  done
}

# same WORD...: stops unless each disk of the plan among the words is still the device that was checked: its link
# resolves to the same node, and the node has the same kernel sequence number (diskseq). The plan's partitions must have
# their GUIDs.
same() {
  local word n text
  for word; do
    n=${NUMBER[${word%-part[0-9]*}]-}
    if [[ -z $n ]]; then continue; fi
    [[ ${DISKS[n]} -ef ${node[n]-} ]] || stop 4 "${DISKS[n]} no longer leads to ${node[n]-}"
    read_diskseq "${node[n]}"
    [[ $diskseq == "${sequence[n]}" ]] || stop 4 "${DISKS[n]} is no longer the disk that was checked (diskseq $diskseq)"
    if [[ -n $partitioned && -n ${PARTITION[$word]-} ]]; then
      text=$(blkid --probe --output=value --match-tag=PART_ENTRY_UUID -- "$word") || text=none
      [[ $text == "${PARTITION[$word]}" ]] || stop 4 "$word is not the plan's partition: its GUID is $text"
    fi
  done
}
read_diskseq() {
  diskseq=none
  if [[ -e /sys/class/block/${1##*/}/diskseq ]]; then read -r diskseq <"/sys/class/block/${1##*/}/diskseq"; fi
}

# unsigned WORD...: stops if a disk of the plan among the words has a signature.
unsigned() {
  local word text disks=()
  for word; do if [[ -n ${NUMBER[$word]-}${PARTITION[$word]-} ]]; then disks+=("$word"); fi; done
  if [[ ${#disks[@]} -eq 0 ]]; then return; fi
  text=$(wipefs --noheadings --output=DEVICE,OFFSET,TYPE -- "${disks[@]}") || stop 3 "signatures cannot be read"
  if [[ -n $text ]]; then stop 4 "a disk has a new signature since it was wiped: $text"; fi
}

# zeroed OFFSET LENGTH DEVICE: stops unless the range reads as zeros.
zeroed() {
  cmp --quiet --bytes="$2" --ignore-initial="$1:0" -- "$3" /dev/zero || stop 3 "$2 bytes at $1 of $3 are not zero"
}

# feed TEXT run COMMAND...: runs the command with TEXT as its standard input.
feed() {
  feeding=$1
  shift
  "$@"
  feeding=
}

# run COMMAND...: logs the command, runs it with empty input, stops if it fails. Ctrl-C takes effect after it ends.
run() {
  local line code=0
  printf -v line ' %q' "$@"
  asked=
  say "  \$$line${feeding:+ <<< ${feeding//$'\n'/; }}"
  same "$@"
  case "$1 ${2-} ${4-}" in
    'mdadm --create '* | 'mdadm --manage --add-spare' | pvcreate\ * | mkfs.*) unsigned "$@" ;;
  esac
  if [[ -z $feeding ]]; then
    (trap '' INT TERM; exec "$@" </dev/null >>"$log" 2>&1) || code=$?
  else
    (trap '' INT TERM; exec "$@" <<<"$feeding" >>"$log" 2>&1) || code=$?
  fi
  if [[ $code -eq 0 ]]; then
    same "$@"
    if [[ $1 == blkdiscard ]]; then zeroed "${3#*=}" "${4#*=}" "$5"; fi
    return
  fi
  # systemd may already have mounted the fstab entry; a later check compares the UUID
  if [[ $1 == mount ]] && findmnt --mountpoint "${!#}" >>"$log"; then return; fi
  if [[ ${tries-0} -gt 0 ]]; then return 1; fi # see erase
  stop 3 "exit code $code of:$line"
}

# ask KEY EXITS COMMAND...: sets `got` to the output of a read-only command, or to the value of KEY in it; fails unless
# the exit code is one of EXITS. The same COMMAND is not run again before the next `run` or `step`.
ask() {
  local key=$1 exits=",$2," line
  shift 2
  if [[ "$*" != "$asked" ]]; then
    status=0
    answer=$("$@" </dev/null 2>/dev/null) || status=$?
    asked="$*"
  fi
  got=
  [[ $exits == *",$status,"* ]] || return 1
  if [[ -z $key ]]; then
    got=${answer#"${answer%%[![:space:]]*}"}
    got=${got%"${got##*[![:space:]]}"}
    return
  fi
  while IFS= read -r line; do
    if [[ $line =~ ^[[:blank:]]*"$key"[[:blank:]]*[=:][[:blank:]]*(.*[^[:blank:]])[[:blank:]]*$ ]]; then
      got=${BASH_REMATCH[1]}
      return
    fi
  done <<<"$answer"
  return 1
}

# must WHAT WANTED EXITS COMMAND...: requires that the output of the command is WANTED.
must() {
  local what=$1 wanted=$2 exits=$3
  shift 3
  if ask '' "$exits" "$@" && [[ $got == "$wanted" ]]; then say "  ok: $what"; else not_so "$what" "$wanted" "$@"; fi
}

# not_so WHAT WANTED COMMAND...: reports a failed check; counts it while `checking` is set, otherwise stops.
not_so() {
  local what=$1 wanted line
  printf -v wanted '%q' "$2"
  shift 2
  printf -v line ' %q' "$@"
  printf -v got '%q' "$got"
  say "  NOT MET: $what"
  say "    expected $wanted, found $got, exit code $status of:$line"
  if [[ -z $checking ]]; then stop 3 "requirement not met: $what"; fi
  wrong=$((wrong + 1))
}

# take_lock: takes the lock that raidtui and all its scripts share. The file is opened first and checked then: a link or
# a file of another user is refused.
take_lock() {
  local file=/run/raidtui.lock opened named
  [[ ! -L $file ]] || stop 1 "$file is a link: remove it"
  umask 077
  exec {lock}>>"$file"
  umask 022
  opened=$(stat --dereference --format='%d:%i %u %f' "/proc/$$/fd/$lock")
  named=$(stat --format='%d:%i %u %f' -- "$file")
  [[ $opened == "$named" && $named == *' 0 8'??? ]] || stop 1 "$file is not a regular file of root: remove it"
  flock --nonblock "$lock" || stop 5 "another run of raidtui or of one of its scripts holds the lock"
}

# lock_disks / unlock_disks: the advisory lock (flock) of every disk; udev does not probe a locked disk, but when one is
# closed that was open for writing. bash would create a missing file that it opens so: first it opens the disk to read.
lock_disks() {
  local disk fd seen
  for disk in "${DISKS[@]}"; do
    exec {seen}<"$disk"
    exec {fd}<>"/proc/$$/fd/$seen" {seen}<&-
    flock --exclusive --timeout 60 "$fd" || stop 5 "another program holds the lock of $disk"
    locks+=("$fd")
  done
  same "${DISKS[@]}"
}
unlock_disks() {
  local fd
  for fd in "${locks[@]}"; do exec {fd}<&-; done
  locks=()
}

# look: reads the identity and content of all disks at once. For disk N it sets node, sequence, facts (type, size,
# sector, read-only, names), held (its users), parts (its partitions), signs (signatures) and ends (see ends_of).
look() {
  local n name line text at kind value=()
  local -A of=()
  disk_of=() sequence=() facts=() held=() parts=() words=() signs=() beyond=() ends=()
  text=$(readlink --canonicalize-missing -- "${DISKS[@]}")
  mapfile -t node <<<"$text"
  for n in "${!DISKS[@]}"; do
    if [[ -n ${of[${node[n]##*/}]-} ]]; then stop 4 "two paths resolve to ${node[n]}, one is ${DISKS[n]}"; fi
    read_diskseq "${node[n]}"
    of[${node[n]##*/}]=$n sequence[n]=$diskseq held[n]='' parts[n]='' words[n]='' signs[n]=''
  done
  text=$(lsblk --noheadings --bytes --pairs --output="$COLUMNS_ASKED" -- "${node[@]}" 2>/dev/null) || :
  while IFS= read -r line; do
    value=()
    while [[ $line =~ ^[^=]*=\"([^\"]*)\"(.*)$ ]]; do value+=("${BASH_REMATCH[1]}") line=${BASH_REMATCH[2]}; done
    name=${value[0]-}
    n=${of[${name:-none}]-${of[${value[1]:-none}]-}}
    if [[ -z $n ]]; then continue; fi
    disk_of[${value[6]// /}]=$n
    line="${value[8]}${value[9]:+ ${value[9]}}${value[10]:+ ${value[10]}}"
    read -r line <<<"$line"
    if [[ -n ${value[7]} ]]; then held[n]+=" mounted at ${value[7]}"; fi
    if [[ $name == "${node[n]##*/}" ]]; then
      value=("${value[@]//'|'/'\x7c'}")
      if [[ ${value[2]} == mpath ]]; then value[12]=$(<"/sys/class/block/$name/dm/uuid"); fi
      facts[n]="${value[2]} ${value[3]} ${value[4]} ${value[5]}|${value[12]}|${value[13]}|${value[14]}"
      words[n]="$line${value[11]:+ ${value[11]} table}"
    elif [[ ${value[2]} == part ]]; then
      of[$name]=$n name=${name#"${node[n]##*/}"}
      parts[n]+="${name#p}: $line"$'\n'
    else
      of[$name]=$n held[n]+=" held by $name (${value[2]})"
    fi
  done <<<"$text"
  text=$(wipefs --noheadings --output=DEVICE,OFFSET,TYPE -- "${node[@]}" 2>/dev/null) || signs=()
  while read -r name at kind; do
    n=${of[${name:-none}]-}
    if [[ -z $n || -z ${signs[n]+set} ]]; then continue; fi
    signs[n]+="${signs[n]:+, }$kind at $((at))"
    row "$n"
    if [[ $((at)) -ge 1048576 && $((at)) -lt $((bytes - 1048576)) ]]; then beyond[n]+=" $kind"; fi
  done <<<"$text"
  text=$(for n in "${!DISKS[@]}"; do ends_of "$n" 2>/dev/null & done; wait)
  while read -r n line; do if [[ -n $n ]]; then ends[n]=$line; fi; done <<<"$text"
}

# ends_of N: prints N and the fingerprint of the disk's first and last MiB (BLAKE2b, 128 bits). If both are zero it reads
# 4 KiB at eight more offsets: `blank` if these are zero too, else `zeros`. Prints nothing on a read error.
ends_of() {
  local at sum other
  row "$1"
  sum=$(for at in 0 $((bytes - 1048576)); do piece "$at" 1M; done | b2sum --length=128)
  sum=${sum%% *}
  if [[ $sum == "$ZEROS" ]]; then
    other=$(between)
    if [[ $other -eq 0 ]]; then sum=blank; else sum=zeros; fi
  fi
  printf '%s %s\n' "$1" "$sum"
}
between() {
  local at
  for at in $(places); do piece "$at" 4K; done | tr --delete '\0' | wc --bytes
}
piece() {
  dd if="$path" bs="$2" count=1 skip="$1" iflag=direct,fullblock,skip_bytes status=none
}
places() {
  local at part blocks=$((bytes / 4096)) offsets=(1048576 1052672 16777216 135266304 1073741824)
  for part in 8 16 24; do
    at=$((blocks * part / 33))
    offsets+=($((at * 4096)))
  done
  for at in "${offsets[@]}"; do
    if [[ $at -ge 1048576 && $at -le $((bytes - 1052672)) ]]; then printf '%s\n' "$at"; fi
  done
}

# look_for_users: sets `open`: for disk N, a process that has it or a partition of it open, found by device number in
# all mount namespaces. Tries three times, because udev opens disks for a moment.
look_for_users() {
  local try text number on file kind pid name n
  for try in 1 2 3; do
    open=()
    text=$(find /proc/[0-9]*/fd /proc/[0-9]*/cwd /proc/[0-9]*/root -maxdepth 1 -type l -exec \
      stat --dereference --cached=always --format='%t:%T %d %n %F' -- {} + 2>&1) || :
    [[ $text != *'Permission denied'* ]] || stop 3 "open files of some processes cannot be read"
    while read -r number on file kind; do
      n=${disk_of[on ${on:-none}]-}
      if [[ $kind == 'block special file' ]]; then n=${disk_of[$((16#${number%:*})):$((16#${number#*:}))]-}; fi
      pid=${file#/proc/} pid=${pid%%/*} name=ended
      if [[ -z $n || $pid == "$$" || ! -e /proc/$pid ]]; then continue; fi
      { read -r name <"/proc/$pid/comm"; } 2>/dev/null || :
      open[n]="process $pid ($name) has it open"
    done <<<"$text"
    if [[ ${#open[@]} -eq 0 ]]; then return; fi
    if [[ $try -lt 3 ]]; then sleep 1; fi
  done
}

# on_it N: prints the current content of disk N.
on_it() {
  local text=${signs[$1]-} lines=${parts[$1]%$'\n'}
  if [[ -n ${words[$1]} ]]; then text+="${text:+; }${words[$1]}"; fi
  if [[ -n $lines ]]; then text+="${text:+; }partition ${lines//$'\n'/; partition }"; fi
  if [[ -z $text && ${ends[$1]-} != blank ]]; then text='bytes that no known signature explains'; fi
  printf '%s' "${text:-nothing: blank}"
}

# show_disks HEADING: prints a table of the disks and their current content.
show_disks() {
  local n now line='%-28s %-20s %-20s %14s  %-20s %s'
  # shellcheck disable=SC2059 # the format is the line above
  printf -v now "$line" PLACE SERIAL MODEL GB "$1" 'CONTENT NOW'
  say "$now"
  for n in "${!DISKS[@]}"; do
    row "$n"
    now=$(on_it "$n")
    # shellcheck disable=SC2059
    printf -v now "$line" "${place:-${path##*/}}" "${serial:--}" "${model:--}" "$((bytes / 1000000000))" "$becomes" "$now"
    say "$now"
  done
}
