#!/bin/bash
# REMOVES what build.sh built of 7 disks on host, 2x(2+1)+1: mounts, arrays, lines in files, udev rules. ALL FILES ON
# /srv/data WILL BE LOST. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash undo.sh   shows what is there, writes nothing, and names the words with which it removes it
# As root. It stops before its first change at what this plan did not make. raidtui undo plan.json does without a
# missing disk, finds users and looks again before each command; as one file it is raidtui-0.1.0.run.
set -euo pipefail; shopt -s inherit_errexit; umask 022
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
# array  member  link in /dev/disk/by-id/  bytes  sector  serial number  place
readonly DISKS='
data-0  0      wwn-0x5000c50000000001  2000398934016  512  S001
data-0  1      wwn-0x5000c50000000002  2000398934016  512  S002
data-0  2      wwn-0x5000c50000000003  2000398934016  512  S003
data-1  0      wwn-0x5000c50000000004  2000398934016  512  S004
data-1  1      wwn-0x5000c50000000005  2000398934016  512  S005
data-1  2      wwn-0x5000c50000000006  2000398934016  512  S006
data-0  spare  wwn-0x5000c50000000007  2000398934016  512  S007'
UUIDS='ea1a760a:7c375ca9:a7cc91c3:1988b5a4|6f5b79cb:e76e5eaa:a7e5ea59:d031f154|42dbae94:1561526f:8ca5d025:9d816dee' # of the arrays
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
others=$(find / /etc{,/fstab,/mdadm{,/mdadm.conf},/udev{,/rules.d{,/90-raidtui-data.rules}}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
lines /etc/mdadm/mdadm.conf 36d7f3d385968b0a3f0a75f361bcb17b68e6e50d23723d9b9140e0dfaf9fdaa4
lines /etc/fstab 6076b568ce5b54de1a0a26561f344260298395a17b779e8cdc44ff62364b4b0d
[[ ! -e /etc/udev/rules.d/90-raidtui-data.rules ]] || sha256sum --check --status <<<'b4fc1cf0469d88563540a8df2d4fdac524f7aae280e09d4d6d23c53ce3019100  /etc/udev/rules.d/90-raidtui-data.rules' ||
  stop '/etc/udev/rules.d/90-raidtui-data.rules is not as it was written: remove it first'
arrays=() ours=() live=() running='' files=0
for md in /sys/block/md*; do md=/dev/${md##*/}; uuid=$(uuid_of --detail "$md"); [[ $uuid =~ ^($UUIDS)$ ]] || continue
  if [[ $uuid == 42dbae94:1561526f:8ca5d025:9d816dee ]]; then arrays=("$md" "${arrays[@]}"); else arrays+=("$md"); fi
  size=$(blockdev --getsz "$md"); [[ $size -eq 0 ]] || { live+=("$md"); running+=" $uuid"; }; done
while read -r _ _ link bytes sector serial _; do
  disk=/dev/disk/by-id/$link; is "disk $bytes $sector 0 $serial" lsblk -bdrno TYPE,SIZE,LOG-SEC,RO,SERIAL "$disk"
  uuid=$(uuid_of --examine "$disk"); found=$(wipefs -iO TYPE "$disk" | sort -u)
  [[ -z $found || $found == linux_raid_member && $uuid =~ ^($UUIDS)$ ]] || stop "$disk holds $found $uuid"
  [[ -z $found ]] || ours+=("$disk"); [[ -z $found || $running == *"$uuid"* ]] || files=uncounted
done <<<"${DISKS:1}"
tree=$([[ ${#live[@]} -eq 0 ]] || lsblk -rno TYPE,MAJ:MIN "${live[@]}" | sort -u | while read -r type number; do
  signs=$(wipefs -iO TYPE,UUID "/dev/block/$number" | tr -s '[:space:]' ' '); echo "$type $number $signs"; done)
others=$(grep -vxE '|(raid5 [0-9:]+( linux_raid_member 42dbae94-1561-526f-8ca5-d0259d816dee)?|raid0 [0-9:]+( ext4 cd19a11b-da88-51d3-a705-c404cb18264b)?) ?' <<<"$tree") || :
[[ -z $others ]] || stop "this is not the plan's: $others"
number=$(awk -v u="cd19a11b-da88-51d3-a705-c404cb18264b" '$4 == u { print $2 }' <<<"$tree")
mounts=$(awk -v n="${number:--}" '$3 == n || $5 == "/srv/data" || index($5, "/srv/data/") == 1 { print $3, $5 }' /proc/self/mountinfo)
[[ -z $mounts || $mounts == "$number /srv/data" ]] || stop "these mounts are in the way: $mounts"
[[ -n $mounts || -z $number ]] || files=uncounted
if [[ -n $mounts ]]; then is "$number" mountpoint --fs-devno /srv/data
  files=$(find /srv/data -xdev -mindepth 1 ! -path "/srv/data/lost+found" -printf . | wc --bytes); fi
[[ $tree != *linux_raid_member* || $running == *42dbae94:1561526f:8ca5d025:9d816dee* ]] || files=uncounted
wanted=undo-00000000; [[ $files == 0 ]] || wanted+=" lose-$files-files"
[[ $* == "$wanted" ]] || { echo "${#ours[@]} members of it are here, $files files. To remove them: bash $0 $wanted"; exit $(($# > 0)); }
exec </dev/null; PS4='$ '; set -x # no program can ask; each command is shown before it runs
# ---- 2. Remove. Last things first.
[[ -z $mounts ]] || umount /srv/data
rm --force /etc/udev/rules.d/90-raidtui-data.rules; udevadm control --reload
lines /etc/fstab 6076b568ce5b54de1a0a26561f344260298395a17b779e8cdc44ff62364b4b0d remove; systemctl daemon-reload
lines /etc/mdadm/mdadm.conf 36d7f3d385968b0a3f0a75f361bcb17b68e6e50d23723d9b9140e0dfaf9fdaa4 remove
for md in "${arrays[@]}"; do uuid=$(uuid_of --detail "$md"); [[ $uuid =~ ^($UUIDS)$ ]] || stop "$md is another"
  [[ $running != *"$uuid"* ]] || wipefs --all --lock=yes "$md"; mdadm --stop "$md"; done
for disk in "${ours[@]}"; do uuid=$(uuid_of --examine "$disk"); [[ $uuid =~ ^($UUIDS)$ ]] || stop "$disk is another"
  size=$(blockdev --getsize64 "$disk"); for at in 0 $((size - 1048576)); do
  blkdiscard --zeroout --offset="$at" --length=1048576 "$disk"; done; done
update-initramfs -u; systemctl try-restart mdmonitor.service
# ---- 3. Read back.
{ set +x; } 2>/dev/null; while read -r _ _ link _; do is '' wipefs "/dev/disk/by-id/$link"; done <<<"${DISKS:1}"
! mdadm --examine --scan --config=partitions | grep -E "$UUIDS" || stop "superblocks of the plan are left"
! grep -sH 0123456789abcdef0123456789abcdef /etc/mdadm/mdadm.conf /etc/fstab || stop 'lines are left'
echo 'Removed, and read back: no signature or line of the plan is left.'
