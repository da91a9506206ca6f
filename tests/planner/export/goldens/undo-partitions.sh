#!/bin/bash
# REMOVES what build.sh built of 3 disks on host, raid1(2)+1: mounts, arrays, lines in files, udev rules. ALL FILES ON
# /srv/data WILL BE LOST. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash undo.sh   shows what is there, writes nothing, and names the words with which it removes it
# As root. It stops before its first change at what this plan did not make. raidtui undo plan.json does without a
# missing disk, finds users and looks again before each command; as one file it is raidtui-0.1.0.run.
set -euo pipefail; shopt -s inherit_errexit; umask 022
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
# array  member  link in /dev/disk/by-id/  bytes  sector  serial number  place
readonly DISKS='
data  0      wwn-0x5000c50000000001  2000398934016  512  S001  slot 7, enclosure shelf
data  1      wwn-0x5000c50000000002  2000398934016  512  S002
data  spare  wwn-0x5000c50000000003  2000398934016  512  S003'
# array, member, link, partition, sector, start and size in sectors, GUID, name, GUID of the table
readonly PARTITIONS='
data  0      wwn-0x5000c50000000001  1  512  2048  3907026944  c6275be4-bdef-5d65-9f5c-15264cb4dafc  data-m0  79ae928c-361d-58f8-ac68-329284a6b8f3
data  1      wwn-0x5000c50000000002  1  512  2048  3907026944  c5acec03-c64b-50af-bce4-9ee0cced080e  data-m1  f38f400f-490e-5cc7-af0e-07b7e4ba2287
data  spare  wwn-0x5000c50000000003  1  512  2048  3907026944  dc03681b-217d-5302-9789-f2c2a796a8f7  data-s0  bf1ac2f3-915a-595c-92c3-3f20d445ba32'
UUIDS='42dbae94:1561526f:8ca5d025:9d816dee' # of the arrays
readonly BLOCK='/^# raidtui 0123456789abcdef0123456789abcdef begin data$/,/^# raidtui 0123456789abcdef0123456789abcdef end$/' # the plan's lines in a file
stop() { echo "STOPPED: $*" >&2; exit 1; }
is() { # is WANTED COMMAND...: stops unless the command succeeds and prints WANTED, with a blank for a line end
  local got code=0; got=$("${@:2}" | tr -s '[:space:]' ' ') || code=$?; got=${got# }; got=${got% }
  [[ $code$got == "0${1% }" ]] || stop "expected '$1', found '$got' (exit code $code): ${*:2}"
}
uuid_of() { { mdadm "$@" --export 2>/dev/null || :; } | sed -n 's/^MD_UUID=//p'; }
lines() { # lines FILE HASH [remove]: stops unless the plan's lines are there as written, or not at all
  [[ -e $1 ]] || return 0; local found hash; found=$(sed -n "${BLOCK}p" "$1"); hash=$(sha256sum <<<"$found")
  [[ -z $found || $hash == "$2 "* ]] || stop "$1 does not have the plan's lines as written: put them back, or remove what is left of them"
  ! sed "${BLOCK}d" "$1" | grep -E "0123456789abcdef0123456789abcdef|cd19a11b-da88-51d3-a705-c404cb18264b|$UUIDS" || stop "remove these from $1"
  [[ $# -lt 3 ]] || sed -i "${BLOCK}d" "$1"
}
# ---- 1. Look. Arrays and groups go by UUID: names may be those of others. What is not there is passed over.
[[ $EUID -eq 0 && ! -e /run/systemd/container ]] || stop 'run this as root, not in a container'
exec {lock}>>/run/raidtui.lock; flock --nonblock "$lock" || stop 'raidtui, or another of its scripts, is running'
is host uname --nodename
is ffffffffffffffffffffffffffffffff cat /etc/machine-id
others=$(find / /etc{,/fstab,/mdadm.conf,/udev{,/rules.d{,/90-raidtui-data.rules}}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
lines /etc/mdadm.conf f63e86100ecc3a898f7820f8023a629e66ce831007bff8ff80dadca33c202d72
lines /etc/fstab 0b31890e64b5532378fa1f3edcc6d16cb277b5285fbbbdacbad6e7192bce9ae0
[[ ! -e /etc/udev/rules.d/90-raidtui-data.rules ]] || sha256sum --check --status <<<'3d128927051d3531aa58a9e4293739389ec20c785445bcc1301c9fdaceafd0e7  /etc/udev/rules.d/90-raidtui-data.rules' ||
  stop '/etc/udev/rules.d/90-raidtui-data.rules is not as it was written: remove it first'
arrays=() ours=() live=() running='' tables=() files=0
for md in /sys/block/md*; do md=/dev/${md##*/}; uuid=$(uuid_of --detail "$md"); [[ $uuid =~ ^($UUIDS)$ ]] || continue
  arrays+=("$md"); size=$(blockdev --getsz "$md"); [[ $size -eq 0 ]] || { live+=("$md"); running+=" $uuid"; }; done
while read -r _ _ link bytes sector serial _; do
  disk=/dev/disk/by-id/$link; is "disk $bytes $sector 0 $serial" lsblk -bdrno TYPE,SIZE,LOG-SEC,RO,SERIAL "$disk"
  table=$(blkid --probe --output=value --match-tag=PTUUID "$disk") || table=''
  if [[ -z $table ]]; then is '' wipefs "$disk"; continue; fi
  planned=$(awk -v link="$link" '$3 == link { print $10 }' <<<"$PARTITIONS" | sort | uniq --count | xargs)
  count=$(lsblk -rno TYPE "$disk" | grep -cx part) || :
  [[ $planned == "$count $table" ]] || stop "$disk: $count partitions in table $table, planned $planned"
  tables+=("$disk")
done <<<"${DISKS:1}"
while read -r _ _ link number _ _ _ guid _; do
  disk=/dev/disk/by-id/$link; [[ " ${tables[*]} " == *" $disk "* ]] || continue
  is "$guid" blkid --probe --output=value --match-tag=PART_ENTRY_UUID "$disk-part$number"
  uuid=$(uuid_of --examine "$disk-part$number"); found=$(wipefs -iO TYPE "$disk-part$number" | sort -u)
  [[ -z $found || $found == linux_raid_member && $uuid =~ ^($UUIDS)$ ]] || stop "$disk-part$number holds $found $uuid"
  [[ -n $found ]] || is '' cmp --bytes=1048576 "$disk-part$number" /dev/zero
  [[ -z $found ]] || ours+=("$disk-part$number"); [[ -z $found || $running == *"$uuid"* ]] || files=uncounted
done <<<"${PARTITIONS:1}"
tree=$([[ ${#live[@]} -eq 0 ]] || lsblk -rno TYPE,MAJ:MIN "${live[@]}" | sort -u | while read -r type number; do
  signs=$(wipefs -iO TYPE,UUID "/dev/block/$number" | tr -s '[:space:]' ' '); echo "$type $number $signs"; done)
others=$(grep -vxE '|(raid1 [0-9:]+( xfs cd19a11b-da88-51d3-a705-c404cb18264b)?) ?' <<<"$tree") || :
[[ -z $others ]] || stop "this is not the plan's: $others"
number=$(awk -v u="cd19a11b-da88-51d3-a705-c404cb18264b" '$4 == u { print $2 }' <<<"$tree")
mounts=$(awk -v n="${number:--}" '$3 == n || $5 == "/srv/data" || index($5, "/srv/data/") == 1 { print $3, $5 }' /proc/self/mountinfo)
[[ -z $mounts || $mounts == "$number /srv/data" ]] || stop "these mounts are in the way: $mounts"
[[ -n $mounts || -z $number ]] || files=uncounted
if [[ -n $mounts ]]; then is "$number" mountpoint --fs-devno /srv/data
  files=$(find /srv/data -xdev -mindepth 1 ! -path "/srv/data/lost+found" -printf . | wc --bytes); fi
wanted=undo-00000000; [[ $files == 0 ]] || wanted+=" lose-$files-files"
[[ $* == "$wanted" ]] || { echo "${#ours[@]} members of it are here, $files files. To remove them: bash $0 $wanted"; exit $(($# > 0)); }
exec </dev/null; PS4='$ '; set -x # no program can ask; each command is shown before it runs
# ---- 2. Remove. Last things first.
[[ -z $mounts ]] || umount /srv/data
rm --force /etc/udev/rules.d/90-raidtui-data.rules; udevadm control --reload
lines /etc/fstab 0b31890e64b5532378fa1f3edcc6d16cb277b5285fbbbdacbad6e7192bce9ae0 remove; systemctl daemon-reload
lines /etc/mdadm.conf f63e86100ecc3a898f7820f8023a629e66ce831007bff8ff80dadca33c202d72 remove
for md in "${arrays[@]}"; do uuid=$(uuid_of --detail "$md"); [[ $uuid =~ ^($UUIDS)$ ]] || stop "$md is another"
  [[ $running != *"$uuid"* ]] || wipefs --all --lock=yes "$md"; mdadm --stop "$md"; done
for disk in "${ours[@]}"; do uuid=$(uuid_of --examine "$disk"); [[ $uuid =~ ^($UUIDS)$ ]] || stop "$disk is another"
  size=$(blockdev --getsize64 "$disk"); for at in 0 $((size - 1048576)); do
  blkdiscard --zeroout --offset="$at" --length=1048576 "$disk"; done; done
for disk in "${tables[@]}"; do wipefs --all --lock=yes "$disk"; size=$(blockdev --getsize64 "$disk")
  for at in 0 $((size - 1048576)); do blkdiscard --zeroout --offset="$at" --length=1048576 "$disk"; done; done
dracut --force --mdadmconf; systemctl try-restart mdmonitor.service
# ---- 3. Read back.
{ set +x; } 2>/dev/null; while read -r _ _ link _; do is '' wipefs "/dev/disk/by-id/$link"; done <<<"${DISKS:1}"
! mdadm --examine --scan --config=partitions | grep -E "$UUIDS" || stop "superblocks of the plan are left"
! grep -sH 0123456789abcdef0123456789abcdef /etc/mdadm.conf /etc/fstab || stop 'lines are left'
echo 'Removed, and read back: no signature or line of the plan is left.'
