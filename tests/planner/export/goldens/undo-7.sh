#!/bin/bash
# shellcheck disable=SC2317,SC2329 # nothing below the next line runs
echo 'STOPPED: the disks of this plan are simulated: a script to read, for disks that no machine has' >&2; exit 1
# REMOVES what build.sh built of 7 disks on jbod84, (4+2)+1: mounts, arrays, lines in files, udev rules. ALL FILES ON
# /srv/data WILL BE LOST. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash undo.sh   shows what is there, writes nothing, and names the words with which it removes it
# As root. It stops before its first change at what this plan did not make. raidtui undo plan.json does without a
# missing disk, finds users and looks again before each command; as one file it is raidtui-0.1.0.run.
set -euo pipefail; shopt -s inherit_errexit; umask 022
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
# array  member  link in /dev/disk/by-id/  bytes  sector  serial number  place
readonly DISKS='
data  0      wwn-0x3000020b00000001  20000588955648  512  SIMJBOD840001  slot 01, enclosure 0x3000000000b0d840
data  1      wwn-0x3000020b00000002  20000588955648  512  SIMJBOD840002  slot 02, enclosure 0x3000000000b0d840
data  2      wwn-0x3000020b00000003  20000588955648  512  SIMJBOD840003  slot 03, enclosure 0x3000000000b0d840
data  3      wwn-0x3000020b00000004  20000588955648  512  SIMJBOD840004  slot 04, enclosure 0x3000000000b0d840
data  4      wwn-0x3000020b00000005  20000588955648  512  SIMJBOD840005  slot 05, enclosure 0x3000000000b0d840
data  5      wwn-0x3000020b00000006  20000588955648  512  SIMJBOD840006  slot 06, enclosure 0x3000000000b0d840
data  spare  wwn-0x3000020b00000007  20000588955648  512  SIMJBOD840007  slot 07, enclosure 0x3000000000b0d840'
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
is jbod84 uname --nodename
others=$(find / /etc{,/fstab,/mdadm{,/mdadm.conf},/udev{,/rules.d{,/90-raidtui-data.rules}}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
lines /etc/mdadm/mdadm.conf f63e86100ecc3a898f7820f8023a629e66ce831007bff8ff80dadca33c202d72
lines /etc/fstab 0b31890e64b5532378fa1f3edcc6d16cb277b5285fbbbdacbad6e7192bce9ae0
[[ ! -e /etc/udev/rules.d/90-raidtui-data.rules ]] || sha256sum --check --status <<<'b91b713577801810eb2f580ebcdae3d05c7e8dd68b89c6817cd81da2e2d26076  /etc/udev/rules.d/90-raidtui-data.rules' ||
  stop '/etc/udev/rules.d/90-raidtui-data.rules is not as it was written: remove it first'
arrays=() ours=() live=() running='' files=0
for md in /sys/block/md*; do md=/dev/${md##*/}; uuid=$(uuid_of --detail "$md"); [[ $uuid =~ ^($UUIDS)$ ]] || continue
  arrays+=("$md"); size=$(blockdev --getsz "$md"); [[ $size -eq 0 ]] || { live+=("$md"); running+=" $uuid"; }; done
while read -r _ _ link bytes sector serial _; do
  disk=/dev/disk/by-id/$link; is "disk $bytes $sector 0 $serial" lsblk -bdrno TYPE,SIZE,LOG-SEC,RO,SERIAL "$disk"
  uuid=$(uuid_of --examine "$disk"); found=$(wipefs -iO TYPE "$disk" | sort -u)
  [[ -z $found || $found == linux_raid_member && $uuid =~ ^($UUIDS)$ ]] || stop "$disk holds $found $uuid"
  [[ -z $found ]] || ours+=("$disk"); [[ -z $found || $running == *"$uuid"* ]] || files=uncounted
done <<<"${DISKS:1}"
tree=$([[ ${#live[@]} -eq 0 ]] || lsblk -rno TYPE,MAJ:MIN "${live[@]}" | sort -u | while read -r type number; do
  signs=$(wipefs -iO TYPE,UUID "/dev/block/$number" | tr -s '[:space:]' ' '); echo "$type $number $signs"; done)
others=$(grep -vxE '|(raid6 [0-9:]+( xfs cd19a11b-da88-51d3-a705-c404cb18264b)?) ?' <<<"$tree") || :
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
lines /etc/mdadm/mdadm.conf f63e86100ecc3a898f7820f8023a629e66ce831007bff8ff80dadca33c202d72 remove
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
