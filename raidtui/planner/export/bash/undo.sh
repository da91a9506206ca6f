# is KEY WANTED EXITS COMMAND...: true if the output of the command, or the value of KEY in it, is WANTED.
is() {
  local key=$1 wanted=$2
  shift 2
  ask "$key" "$@" && [[ $got == "$wanted" ]]
}

# check_identities: counts disks that are not the planned ones. Their content and users are checked by survey.
check_identities() {
  local n
  look
  for n in "${!DISKS[@]}"; do
    row "$n"
    if [[ ${facts[n]-missing} == "$expected" ]]; then continue; fi
    say "  FAILED: $title: it is not the planned disk: ${facts[n]-missing}"
    wrong=$((wrong + 1))
  done
}

# plans_md MDADM_OPTION... DEVICE: true if the UUID of an md superblock or of a running array is one of the plan's.
plans_md() {
  ask MD_UUID 0 mdadm "$@" && [[ " ${UUIDS[*]} ${OUTER[*]} " == *" $got "* ]]
}

# survey: finds the parts of the plan (found), foreign users and content of its arrays (foreign), disks that are kept
# (kept), and files on its file systems (lost, loss). Writes nothing.
survey() {
  local part n line mine member arrays=() mds=() group='' ours=()
  local -A carried=() runs=() tables=()
  asked='' found=0 foreign=() kept=() lost=0 loss=() disk_of=()
  for n in "${!DISKS[@]}"; do
    row "$n"
    if [[ -n $table ]] && is PTUUID "$table" 0 blkid --probe --output=export "$path"; then survey_table "$n"; fi
    mine=
    for member in "${own[@]}"; do
      if plans_md --examine --export "$member"; then
        found=$((found + 1)) carried[$got]=$((${carried[$got]-0} + 1)) mine=yes
        ours+=("$n $member $got")
      fi
    done
    if [[ -n $mine ]]; then
      continue
    elif [[ -n ${MARKS[n]-} ]] && is UUID "$uuid" 0 blkid --probe --output export "$path"; then
      there "$path has UUID $uuid"
      if [[ ${signs[n]} == *,* ]]; then foreign+=("$title has ${signs[n]}, of which one is the plan's: remove the others by hand"); fi
    elif [[ -n ${tables[n]-} ]]; then
      found=$((found + 1))
    elif [[ ${ends[n]-} != blank && ${ends[n]-} != zeros || -n ${signs[n]-} ]]; then
      kept[n]="$title: $(on_it "$n")"
    fi
  done
  find_arrays
  for line in "${mds[@]}"; do there "$line"; done
  for line in "${ours[@]}"; do
    read -r n member part <<<"$line"
    if [[ -z $SEES_THROUGH || -n ${runs[$part]-} && -z ${held[n]} ]]; then survey_beside "$n" "$member"; fi
  done
  for n in "${!carried[@]}"; do
    say "  found: superblocks of array $n on ${carried[$n]} disks"
    if [[ -z ${runs[$n]-} ]]; then
      loss+=("array $n is not running, so its content is unknown; mdadm --assemble --uuid=$n starts it")
      lost=unknown
    fi
  done
  survey_arrays
  if [[ -n $group ]]; then there "volume group $group on the plan's arrays"; fi
  survey_files
  survey_users
}

# find_arrays UUID...: sets arrays to the running arrays of the plan that have one of these UUIDs, without md to the
# disks that have one; to all of the plan if no UUID is given. `mds` describes these arrays, inactive ones too.
find_arrays() {
  local md name text n
  arrays=() mds=() runs=()
  for md in /sys/class/block/md*; do
    name=/dev/${md##*/}
    if [[ -e $md/md/array_state ]] && plans_md --detail --export "$name" && [[ $# -eq 0 || " $* " == *" $got "* ]]; then
      mds+=("array $name has UUID $got")
      text=$(<"$md/md/array_state")
      if [[ $text != inactive && $text != clear ]]; then arrays+=("$name") runs[$got]=yes; fi
    fi
  done
  for n in "${!MARKS[@]}"; do
    if [[ $# -gt 0 && " $* " != *" ${MARKS[n]} "* ]]; then continue; fi
    if is UUID "${MARKS[n]}" 0 blkid --probe --output export "${DISKS[n]}"; then
      arrays+=("$(readlink --canonicalize-existing -- "${DISKS[n]}")")
    fi
  done
}

# still_ours UUID...: reads again what find_arrays finds; stops if something of others came onto it since the start.
still_ours() {
  local before=$lost again=yes arrays=() mds=() group=''
  local -A runs=()
  asked='' foreign=() loss=() disk_of=()
  find_arrays "$@"
  if [[ ${#arrays[@]} -eq 0 ]]; then return; fi
  survey_arrays
  survey_users
  if [[ $lost != "$before" ]]; then foreign+=("${loss[@]}"); fi
  stop_for_foreign 4 'nothing further was removed'
}

# survey_arrays: finds foreign content and users of the devices in arrays, and the volume group on them (group).
survey_arrays() {
  local name part text line device value=()
  text=$(pvs --noheadings --options=vg_name,pv_uuid 2>/dev/null) || :
  while read -r name part; do
    if [[ -n $part && " ${VOLUMES[*]} " == *" $part "* ]]; then group=$name; fi
  done <<<"$text"
  while [[ -n $group ]] && read -r name part; do
    if [[ $name == "$group" && " ${VOLUMES[*]} " != *" $part "* ]]; then
      foreign+=("volume group $group also has the physical volume $part: remove it with vgreduce first")
    fi
  done <<<"$text"
  text=
  if [[ -n $group ]]; then
    text=$(lvs --noheadings --separator='|' --options=lv_name,lv_tags,lv_size --select="vg_name=$group") ||
      stop 3 "the volumes of $group cannot be listed"
  fi
  while IFS='|' read -r name part line; do
    name=${name//[[:space:]]/}
    if [[ -z $name || ",${part//[[:space:]]/}," == *",$TAG,"* ]]; then continue; fi
    foreign+=("logical volume $group/$name ($line) is not the plan's: save its content, then remove it with lvremove")
  done <<<"$text"
  text=
  if [[ ${#arrays[@]} -gt 0 ]]; then
    text=$(lsblk --noheadings --pairs --output=NAME,KNAME,TYPE,MAJ:MIN -- "${arrays[@]}" | sort --unique) ||
      stop 3 "lsblk cannot list the devices on the arrays"
  fi
  while IFS= read -r line; do
    value=()
    while [[ $line =~ ^[^=]*=\"([^\"]*)\"(.*)$ ]]; do value+=("${BASH_REMATCH[1]}") line=${BASH_REMATCH[2]}; done
    if [[ ${#value[@]} -lt 4 ]]; then continue; fi
    device=/dev/${value[1]}
    case ${value[2]} in
      raid*)
        if [[ " ${arrays[*]} " != *" $device "* ]]; then foreign+=("array $device uses it: stop that array first"); fi ;;
      disk) if [[ " ${arrays[*]} " != *" $device "* ]]; then foreign+=("$device is not a disk of the plan"); fi ;;
      lvm) if [[ -z $group ]]; then foreign+=("volume ${value[0]} uses it: remove that volume with LVM first"); fi ;;
      *) foreign+=("${value[0]} ($device, ${value[2]}) uses it: remove that with its own tool first") ;;
    esac
    survey_device "$device" "${value[3]// /}"
  done <<<"$text"
}

# survey_table N: a disk with the plan's partition table. Anything else in that table, or in a partition without a
# superblock of the plan, is foreign.
survey_table() {
  local count text part same=yes
  row "$1"
  tables[$1]=yes
  count=$(sfdisk --dump "$path" | grep --count ' : start=') || :
  for part in "${own[@]}"; do
    is PART_ENTRY_UUID "${PARTITION[$part]}" 0 blkid --probe --output=export "$part" || same=
  done
  if [[ $count -ne ${#own[@]} || -z $same ]]; then
    foreign+=("$title has $count partitions in the plan's table, not just the plan's ${#own[@]}: save their content, then delete them")
    return
  fi
  for part in "${own[@]}"; do
    if plans_md --examine --export "$part"; then continue; fi
    text=$(wipefs --noheadings --output=TYPE -- "$part") || stop 3 "signatures cannot be read"
    if [[ -n $text ]]; then
      foreign+=("$part holds ${text//$'\n'/, }, which is not the plan's: save its content, then run wipefs --all")
    elif ! cmp --quiet --bytes=4194304 -- "$part" /dev/zero; then
      foreign+=("$part holds data without a signature: save it, then run blkdiscard --zeroout --length=4MiB $part")
    fi
  done
}

# survey_beside N MEMBER: foreign signatures on a member of the disk with a superblock of the plan. With the superblock at the end of the
# disk, the signatures on a member of a running array are those of the array's content.
survey_beside() {
  local sign at kind text beside=${signs[$1]}
  row "$1"
  if [[ -n ${PARTITION[$2]-} ]]; then
    beside=
    text=$(wipefs --noheadings --output=OFFSET,TYPE -- "$2") || stop 3 "signatures cannot be read"
    while read -r at kind; do beside+="${beside:+, }$kind at $at"; done <<<"$text"
  fi
  while IFS= read -r sign; do
    if [[ -z $sign || $sign == linux_raid_member\ * ]]; then continue; fi
    foreign+=("$title has $sign beside a superblock of the plan: save its content, then run wipefs --all")
  done <<<"${beside//, /$'\n'}"
}

# there TEXT: counts and prints a part of the plan.
there() {
  found=$((found + 1))
  say "  found: $1"
}

# survey_device DEVICE MAJOR:MINOR: foreign content and users of an array or of the volume over the arrays.
survey_device() {
  local kind='' uuid='' file text mine='' place start
  ask '' 0,2 blkid --probe --output=export "$1" || stop 3 "blkid cannot read $1"
  if ask TYPE 0 blkid --probe --output=export "$1"; then kind=$got; fi
  if ask UUID 0 blkid --probe --output=export "$1"; then uuid=${got//[:-]/}; fi
  if [[ -z $kind ]] && ask PTTYPE 0 blkid --probe --output=export "$1"; then kind="$got partition table"; fi
  for text in "${VOLUMES[@]}" "${UUIDS[@]}" "${OUTER[@]}" "${FILE_SYSTEMS[@]%%|*}"; do
    if [[ -n $uuid && $uuid == "${text//[:-]/}" ]]; then mine=yes; fi
  done
  zero_start "$1"
  if [[ -n $kind && -z $mine ]]; then
    foreign+=("$1 holds $kind $uuid, which is not the plan's: save its content, then remove it with its own tool")
  elif [[ -z $kind && ${#FILE_SYSTEMS[@]} -eq 0 && $start -gt 0 ]]; then
    if ! cmp --quiet --bytes="$start" -- "$1" /dev/zero; then
      foreign+=("$1 holds data without a signature: save it, then run blkdiscard --zeroout --length=1MiB $1")
    else
      text=$(filled "$1")
      if [[ -n $text ]]; then loss+=("$1: data without a signature at byte $text; its owner is unknown") lost=unknown; fi
    fi
  fi
  text=$(grep --no-messages --no-filename --fixed-strings " $2 " /proc/[0-9]*/mountinfo | cut --delimiter=' ' --fields=5 |
    sort --unique) || :
  for place in $text; do
    if [[ " ${FILE_SYSTEMS[*]}" != *"|$place|"* ]]; then
      foreign+=("$1 is mounted at $place, which is not in the plan: unmount it first")
    fi
  done
  for file in /sys/kernel/config/target/core/*/*/udev_path /sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path \
    /sys/block/loop*/loop/backing_file; do
    if [[ ! -e $file ]]; then continue; fi
    text=$(<"$file")
    if [[ $text -ef $1 ]]; then foreign+=("$1 is used by ${file%/*}: remove it there first"); fi
  done
  disk_of[$2]=0
}

# had_content: true if a disk of the plan was not blank; a build leaves its content behind what it wipes.
had_content() {
  local line planned
  for line in "${TABLE[@]}"; do
    IFS='|' read -r _ _ _ _ _ _ _ _ planned _ <<<"$line"
    if [[ $planned != blank ]]; then return; fi
  done
  return 1
}

# zero_start DEVICE: sets `start` to how many bytes at the start of an array or a volume are zero if only the plan wrote to
# it. Old content of the disks shows at the start of an array over arrays, and in a volume behind what lvcreate zeroes;
# an undo leaves bytes of a volume on the arrays below it.
zero_start() {
  start=1048576
  if ! plans_md --detail --export "$1"; then
    if had_content; then start=4096; fi
  elif [[ " ${OUTER[*]} " == *" $got "* ]]; then
    if had_content; then start=0; fi
  elif [[ -n $again && -n ${VOLUMES[*]}${OUTER[*]} ]]; then
    start=0
  fi
}

# filled DEVICE: prints the first place between its ends, as ends_of reads them, at which a device is not zero; nothing
# where disks of the plan had content.
filled() {
  local at path bytes count
  if had_content; then return; fi
  path=$1
  bytes=$(blockdev --getsize64 "$1" 2>/dev/null) || return 0
  for at in $(places); do
    count=$(piece "$at" 4K 2>/dev/null | tr --delete '\0' | wc --bytes) || return 0
    if [[ $count -ne 0 ]]; then printf '%s' "$at"; return; fi
  done
}

# survey_files: counts the files on the plan's file systems and finds their users. An unmounted file system is mounted
# read-only, without log replay, while it is counted.
survey_files() {
  local each uuid place device type text count name
  for each in "${FILE_SYSTEMS[@]}"; do
    IFS='|' read -r uuid place device type <<<"$each"
    if is '' "$uuid" 0 findmnt --noheadings --first-only --output=UUID --mountpoint "$place"; then
      text=$(stat --format=%d -- "$place")
      disk_of["on $text"]=0
      count_files "$place" "$place"
      for name in $(swapon --noheadings --raw --show=NAME) $(cat /sys/block/loop*/loop/backing_file 2>/dev/null || :); do
        if [[ $name == "$place"/* ]]; then foreign+=("$name is used as swap space or by a loop device: run swapoff or losetup --detach first"); fi
      done
      if grep --quiet --no-messages -e "^${place}[[:blank:]/]" /var/lib/nfs/etab; then
        foreign+=("$place is exported by NFS: run exportfs -u first")
      fi
    elif [[ -b $device ]] && is UUID "$uuid" 0 blkid --probe --output=export "$device"; then
      mkdir --mode=0700 /run/raidtui-look || stop 3 "cannot create /run/raidtui-look: remove it"
      text=norecovery
      if [[ $type == ext4 ]]; then text=noload; fi
      if mount --types="$type" --options="ro,$text,nodev,nosuid,noexec" "$device" /run/raidtui-look 2>/dev/null; then
        looking=/run/raidtui-look
        count_files /run/raidtui-look "$place (not mounted)"
        umount /run/raidtui-look
        looking=
      else
        loss+=("$device cannot be mounted read-only, so its content is unknown")
        lost=unknown
      fi
      rmdir /run/raidtui-look
    fi
  done
}

# survey_users: finds processes that have a surveyed device, or a file system of the plan, open.
survey_users() {
  look_for_users
  if [[ -n ${open[0]-} ]]; then foreign+=("an array, volume or file system of the plan is in use: ${open[0]}: end that process first"); fi
}

# count_files DIRECTORY NAME: adds the files below DIRECTORY to the loss.
count_files() {
  local count names used
  count=$({ find "$1" -xdev -mindepth 1 ! -path "$1/lost+found" -printf . || :; } | head --bytes=100000 | wc --bytes) || :
  if [[ $count -eq 0 ]]; then return; fi
  names=$(find "$1" -xdev -mindepth 1 -maxdepth 1 ! -name lost+found -printf '%f, ' | head --bytes=200) || :
  used=$(df --block-size=1 --output=used -- "$1")
  loss+=("$2: $count files and directories (counted up to 100000), ${used##*[[:space:]]} bytes used; first names: ${names%, }")
  if [[ $lost != unknown ]]; then lost=$((lost + count)); fi
}

# refuse_foreign: prints kept, lost and foreign parts; stops before anything is removed if any part is foreign.
refuse_foreign() {
  local each
  for each in "${kept[@]}"; do say "  kept, without $SIGN: $each"; done
  for each in "${loss[@]}"; do say "  LOST by this undo: $each"; done
  stop_for_foreign 1 'nothing was written'
}

# stop_for_foreign EXIT_CODE TEXT: prints foreign parts; stops if there are any.
stop_for_foreign() {
  local each
  for each in "${foreign[@]}"; do say "  IN THE WAY: $each"; done
  if [[ ${#foreign[@]} -gt 0 ]]; then stop "$1" "${#foreign[@]} items in the way do not belong to the plan; $2"; fi
}

# confirm_loss: requires a second phrase, or --lose-files, if files will be lost.
confirm_loss() {
  local phrase
  if [[ $lost == 0 ]]; then return; fi
  if [[ -n $given_tail || -n $given_loss ]]; then
    [[ $given_loss == "$lost" ]] || stop 1 "files will be lost: add --lose-files $lost to accept that; nothing was written"
    return
  fi
  printf 'Type "lose %s files" to give them up: ' "$lost"
  IFS= read -r phrase || :
  [[ $phrase == "lose $lost files" ]] || stop 1 "not confirmed; nothing was written"
}

# stop_leftover DEVICE: stops the arrays of the plan that still hold a device; an inactive array has no /dev/md name.
stop_leftover() {
  local device holder
  device=$(readlink --canonicalize-existing -- "$1")
  for holder in "/sys/class/block/${device##*/}/holders"/*; do
    if [[ ! -e $holder ]]; then continue; fi
    asked=
    if ! plans_md --detail --export "/dev/${holder##*/}"; then
      if [[ ! -e $holder ]]; then continue; fi
      stop 3 "$1 is held by ${holder##*/}, which is not the plan's or whose UUID cannot be read"
    fi
    still_ours "$got"
    run mdadm --stop "/dev/${holder##*/}" || :
  done
}

# erase COMMAND...: writes to a member, the last word. udev ignores the lock of a multipath map and may assemble an array
# of what is half erased: that array is stopped, and the command runs again. Nothing is concluded from what a program
# prints: whatever failed is tried again after the superblock and the holders were read again.
erase() {
  local tries
  for tries in 4 3 2 1 0; do
    asked=
    plans_md --examine --export "${!#}" || stop 4 "${!#} no longer has a superblock of the plan"
    stop_leftover "${!#}"
    if run "$@"; then return; fi
    sleep 1
  done
}
mark_blanked() { blanked[${NUMBER[$1]}]=yes; }

# read_back: requires that the blanked disks are blank and that no disk of the machine has a superblock of the plan;
# lists the other disks, which were not changed.
read_back() {
  local n uuid text
  asked=
  kept=()
  look
  for n in "${!DISKS[@]}"; do
    row "$n"
    if [[ -n ${blanked[n]-} ]]; then
      must "$path: the first 4 MiB are zero" '' 0 cmp --bytes=4194304 "$path" /dev/zero
      must "$path: the last 4 MiB are zero" '' 0 cmp --bytes=4194304 --ignore-initial="$last:0" "$path" /dev/zero
      if [[ -n ${signs[n]-unreadable} ]]; then stop 3 "$path still has signatures: ${signs[n]-unreadable}"; fi
    elif [[ ${ends[n]-} != blank && ${ends[n]-} != zeros || -n ${signs[n]-} ]]; then
      kept[n]="$title: $(on_it "$n")"
    fi
  done
  text=$(mdadm --examine --scan --verbose --config=partitions) || stop 3 "mdadm cannot scan the disks of this machine"
  for uuid in "${UUIDS[@]}" "${OUTER[@]}"; do
    if [[ $text == *"UUID=$uuid"* ]]; then
      stop 3 "superblocks of array $uuid are still on disks of this machine: ${text#*"UUID=$uuid"}"
    fi
  done
  for n in "${!kept[@]}"; do
    say "KEPT: ${kept[n]}. It does not have $SIGN. If it is not needed: wipefs --all and blkdiscard --zeroout."
  done
}

again='' blanked=() given_tail='' only_check='' given_loss='' found=0 lost=0 loss=() foreign=() kept=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --check) only_check=yes; shift ;;
    --yes-undo) given_tail=${2-none}; shift; shift || : ;;
    --lose-files) given_loss=${2-none}; shift; shift || : ;;
    *) printf 'usage: %s [--check] [--yes-undo DIGEST_TAIL] [--lose-files COUNT]\n' "$0" >&2; exit 2 ;;
  esac
done
