#!/bin/bash
# REMOVES what build.sh built of 2 disks on host, 2x disk: mounts, volumes, lines in files, udev rules. ALL FILES ON
# /srv/data/0, /srv/data/1 WILL BE LOST. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash undo.sh   shows what is there, writes nothing, and names the words with which it removes it
# As root. It stops before its first change at what this plan did not make. raidtui undo plan.json does without a
# missing disk, finds users and looks again before each command; as one file it is raidtui-0.1.0.run.
set -euo pipefail; shopt -s inherit_errexit; umask 022
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
# array  member  link in /dev/disk/by-id/  bytes  sector  serial number  UUID of what the plan put there  place
readonly DISKS='
data-0  -  wwn-0x5000c50000000001  2000398934016  512  S001  cd19a11b-da88-51d3-a705-c404cb18264b
data-1  -  wwn-0x5000c50000000002  2000398934016  512  S002  08ebd8ea-55a4-595a-a92a-980d60af9e7d'
readonly BLOCK='/^# raidtui 0123456789abcdef0123456789abcdef begin data$/,/^# raidtui 0123456789abcdef0123456789abcdef end$/' # the plan's lines in a file
# UUID and mount point of each file system
readonly FILE_SYSTEMS='
cd19a11b-da88-51d3-a705-c404cb18264b  /srv/data/0
08ebd8ea-55a4-595a-a92a-980d60af9e7d  /srv/data/1'
stop() { echo "STOPPED: $*" >&2; exit 1; }
is() { # is WANTED COMMAND...: stops unless the command succeeds and prints WANTED, with a blank for a line end
  local got code=0; got=$("${@:2}" | tr -s '[:space:]' ' ') || code=$?; got=${got# }; got=${got% }
  [[ $code$got == "0${1% }" ]] || stop "expected '$1', found '$got' (exit code $code): ${*:2}"
}
lines() { # lines FILE HASH [remove]: stops unless the plan's lines are there as written, or not at all
  [[ -e $1 ]] || return 0; local found hash; found=$(sed -n "${BLOCK}p" "$1"); hash=$(sha256sum <<<"$found")
  [[ -z $found || $hash == "$2 "* ]] || stop "$1 does not have the plan's lines as written: put them back, or remove what is left of them"
  ! sed "${BLOCK}d" "$1" | grep -E "0123456789abcdef0123456789abcdef|cd19a11b-da88-51d3-a705-c404cb18264b|08ebd8ea-55a4-595a-a92a-980d60af9e7d" || stop "remove these from $1"
  [[ $# -lt 3 ]] || sed -i "${BLOCK}d" "$1"
}
# ---- 1. Look. Arrays and groups go by UUID: names may be those of others. What is not there is passed over.
[[ $EUID -eq 0 && ! -e /run/systemd/container ]] || stop 'run this as root, not in a container'
exec {lock}>>/run/raidtui.lock; flock --nonblock "$lock" || stop 'raidtui, or another of its scripts, is running'
is host uname --nodename
is ffffffffffffffffffffffffffffffff cat /etc/machine-id
others=$(find / /etc{,/fstab} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
lines /etc/fstab 72b63f671f5c0a4e6ffd55ee796dd40119a8e0369492225199b76fa096eb4d0d
arrays=() ours=() mounted=() files=0
while read -r _ _ link bytes sector serial mark _; do
  disk=/dev/disk/by-id/$link; is "disk $bytes $sector 0 $serial" lsblk -bdrno TYPE,SIZE,LOG-SEC,RO,SERIAL "$disk"
  found=$(wipefs -iO TYPE,UUID "$disk" | tr -s '[:space:]' ' ')
  [[ -z $found || $found == "ext4 $mark " ]] || stop "$disk holds $found"
  [[ -z $found ]] || { arrays+=("$disk"); ours+=("$disk"); }
done <<<"${DISKS:1}"
tree=$([[ ${#arrays[@]} -eq 0 ]] || lsblk -rno TYPE,MAJ:MIN "${arrays[@]}" | sort -u | while read -r type number; do
  signs=$(wipefs -iO TYPE,UUID "/dev/block/$number" | tr -s '[:space:]' ' '); echo "$type $number $signs"; done)
others=$(grep -vxE '|((disk|mpath) [0-9:]+( ext4 (08ebd8ea-55a4-595a-a92a-980d60af9e7d|cd19a11b-da88-51d3-a705-c404cb18264b))?) ?' <<<"$tree") || :
[[ -z $others ]] || stop "this is not the plan's: $others"
while read -r uuid place; do
  number=$(awk -v u="$uuid" '$4 == u { print $2 }' <<<"$tree")
  mounts=$(awk -v n="${number:--}" -v at="$place" \
    '$3 == n || $5 == at || index($5, at "/") == 1 { print $3, $5 }' /proc/self/mountinfo)
  [[ -z $mounts || $mounts == "$number $place" ]] || stop "these mounts are in the way: $mounts"
  [[ -n $mounts || -z $number ]] || files=uncounted
  if [[ -n $mounts ]]; then is "$number" mountpoint --fs-devno "$place"; mounted+=("$place")
    count=$(find "$place" -xdev -mindepth 1 ! -path "$place/lost+found" -printf . | wc --bytes); [[ $files == uncounted ]] || files=$((files + count)); fi
done <<<"${FILE_SYSTEMS:1}"
wanted=undo-00000000; [[ $files == 0 ]] || wanted+=" lose-$files-files"
[[ $* == "$wanted" ]] || { echo "${#ours[@]} disks of it are here, $files files. To remove them: bash $0 $wanted"; exit $(($# > 0)); }
exec </dev/null; PS4='$ '; set -x # no program can ask; each command is shown before it runs
# ---- 2. Remove. Last things first.
for place in "${mounted[@]}"; do umount "$place"; done
lines /etc/fstab 72b63f671f5c0a4e6ffd55ee796dd40119a8e0369492225199b76fa096eb4d0d remove; systemctl daemon-reload
for disk in "${ours[@]}"; do
  size=$(blockdev --getsize64 "$disk"); for at in 0 $((size - 1048576)); do
  blkdiscard --zeroout --offset="$at" --length=1048576 "$disk"; done; done
# ---- 3. Read back.
{ set +x; } 2>/dev/null; while read -r _ _ link _; do is '' wipefs "/dev/disk/by-id/$link"; done <<<"${DISKS:1}"
! grep -sH 0123456789abcdef0123456789abcdef /etc/fstab || stop 'lines are left'
echo 'Removed, and read back: no signature or line of the plan is left.'
