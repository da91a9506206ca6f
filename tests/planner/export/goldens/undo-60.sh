#!/bin/bash
# shellcheck disable=SC2317,SC2329 # nothing below the next line runs
echo 'STOPPED: the disks of this plan are simulated: a script to read, for disks that no machine has' >&2; exit 1
# REMOVES what build.sh built of 60 disks on e2660, 4x(12+2)+4: mounts, arrays, lines in files, udev rules. ALL FILES
# ON /srv/data WILL BE LOST. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash undo.sh   shows what is there, writes nothing, and names the words with which it removes it
# As root. It stops before its first change at what this plan did not make. raidtui undo plan.json does without a
# missing disk, finds users and looks again before each command; as one file it is raidtui-0.1.0.run.
set -euo pipefail; shopt -s inherit_errexit; umask 022
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
# array  member  link in /dev/disk/by-id/  bytes  sector  serial number  place
readonly DISKS='
data-0  0      wwn-0x3000013300000001  2000398934016  512  SIME26600001  drawer 1 slot 01, enclosure 0x3000000000e26600
data-0  1      wwn-0x3000013300000002  2000398934016  512  SIME26600002  drawer 1 slot 02, enclosure 0x3000000000e26600
data-0  2      wwn-0x3000013300000003  2000398934016  512  SIME26600003  drawer 1 slot 03, enclosure 0x3000000000e26600
data-0  3      wwn-0x3000013300000004  2000398934016  512  SIME26600004  drawer 1 slot 04, enclosure 0x3000000000e26600
data-0  4      wwn-0x3000013300000005  2000398934016  512  SIME26600005  drawer 1 slot 05, enclosure 0x3000000000e26600
data-0  5      wwn-0x3000013300000006  2000398934016  512  SIME26600006  drawer 1 slot 06, enclosure 0x3000000000e26600
data-0  6      wwn-0x3000013300000007  2000398934016  512  SIME26600007  drawer 1 slot 07, enclosure 0x3000000000e26600
data-0  7      wwn-0x3000013300000008  2000398934016  512  SIME26600008  drawer 1 slot 08, enclosure 0x3000000000e26600
data-0  8      wwn-0x3000013300000009  2000398934016  512  SIME26600009  drawer 1 slot 09, enclosure 0x3000000000e26600
data-0  9      wwn-0x300001330000000a  2000398934016  512  SIME26600010  drawer 1 slot 10, enclosure 0x3000000000e26600
data-0  10     wwn-0x300001330000000b  2000398934016  512  SIME26600011  drawer 1 slot 11, enclosure 0x3000000000e26600
data-0  11     wwn-0x300001330000000c  2000398934016  512  SIME26600012  drawer 1 slot 12, enclosure 0x3000000000e26600
data-0  12     wwn-0x300001330000000d  2000398934016  512  SIME26600013  drawer 2 slot 01, enclosure 0x3000000000e26600
data-0  13     wwn-0x300001330000000e  2000398934016  512  SIME26600014  drawer 2 slot 02, enclosure 0x3000000000e26600
data-1  0      wwn-0x300001330000000f  2000398934016  512  SIME26600015  drawer 2 slot 03, enclosure 0x3000000000e26600
data-1  1      wwn-0x3000013300000010  2000398934016  512  SIME26600016  drawer 2 slot 04, enclosure 0x3000000000e26600
data-1  2      wwn-0x3000013300000011  2000398934016  512  SIME26600017  drawer 2 slot 05, enclosure 0x3000000000e26600
data-1  3      wwn-0x3000013300000012  2000398934016  512  SIME26600018  drawer 2 slot 06, enclosure 0x3000000000e26600
data-1  4      wwn-0x3000013300000013  2000398934016  512  SIME26600019  drawer 2 slot 07, enclosure 0x3000000000e26600
data-1  5      wwn-0x3000013300000014  2000398934016  512  SIME26600020  drawer 2 slot 08, enclosure 0x3000000000e26600
data-1  6      wwn-0x3000013300000015  2000398934016  512  SIME26600021  drawer 2 slot 09, enclosure 0x3000000000e26600
data-1  7      wwn-0x3000013300000016  2000398934016  512  SIME26600022  drawer 2 slot 10, enclosure 0x3000000000e26600
data-1  8      wwn-0x3000013300000017  2000398934016  512  SIME26600023  drawer 2 slot 11, enclosure 0x3000000000e26600
data-1  9      wwn-0x3000013300000018  2000398934016  512  SIME26600024  drawer 2 slot 12, enclosure 0x3000000000e26600
data-1  10     wwn-0x3000013300000019  2000398934016  512  SIME26600025  drawer 3 slot 01, enclosure 0x3000000000e26600
data-1  11     wwn-0x300001330000001a  2000398934016  512  SIME26600026  drawer 3 slot 02, enclosure 0x3000000000e26600
data-1  12     wwn-0x300001330000001b  2000398934016  512  SIME26600027  drawer 3 slot 03, enclosure 0x3000000000e26600
data-1  13     wwn-0x300001330000001c  2000398934016  512  SIME26600028  drawer 3 slot 04, enclosure 0x3000000000e26600
data-2  0      wwn-0x300001330000001d  2000398934016  512  SIME26600029  drawer 3 slot 05, enclosure 0x3000000000e26600
data-2  1      wwn-0x300001330000001e  2000398934016  512  SIME26600030  drawer 3 slot 06, enclosure 0x3000000000e26600
data-2  2      wwn-0x300001330000001f  2000398934016  512  SIME26600031  drawer 3 slot 07, enclosure 0x3000000000e26600
data-2  3      wwn-0x3000013300000020  2000398934016  512  SIME26600032  drawer 3 slot 08, enclosure 0x3000000000e26600
data-2  4      wwn-0x3000013300000021  2000398934016  512  SIME26600033  drawer 3 slot 09, enclosure 0x3000000000e26600
data-2  5      wwn-0x3000013300000022  2000398934016  512  SIME26600034  drawer 3 slot 10, enclosure 0x3000000000e26600
data-2  6      wwn-0x3000013300000023  2000398934016  512  SIME26600035  drawer 3 slot 11, enclosure 0x3000000000e26600
data-2  7      wwn-0x3000013300000024  2000398934016  512  SIME26600036  drawer 3 slot 12, enclosure 0x3000000000e26600
data-2  8      wwn-0x3000013300000025  2000398934016  512  SIME26600037  drawer 4 slot 01, enclosure 0x3000000000e26600
data-2  9      wwn-0x3000013300000026  2000398934016  512  SIME26600038  drawer 4 slot 02, enclosure 0x3000000000e26600
data-2  10     wwn-0x3000013300000027  2000398934016  512  SIME26600039  drawer 4 slot 03, enclosure 0x3000000000e26600
data-2  11     wwn-0x3000013300000028  2000398934016  512  SIME26600040  drawer 4 slot 04, enclosure 0x3000000000e26600
data-2  12     wwn-0x3000013300000029  2000398934016  512  SIME26600041  drawer 4 slot 05, enclosure 0x3000000000e26600
data-2  13     wwn-0x300001330000002a  2000398934016  512  SIME26600042  drawer 4 slot 06, enclosure 0x3000000000e26600
data-3  0      wwn-0x300001330000002b  2000398934016  512  SIME26600043  drawer 4 slot 07, enclosure 0x3000000000e26600
data-3  1      wwn-0x300001330000002c  2000398934016  512  SIME26600044  drawer 4 slot 08, enclosure 0x3000000000e26600
data-3  2      wwn-0x300001330000002d  2000398934016  512  SIME26600045  drawer 4 slot 09, enclosure 0x3000000000e26600
data-3  3      wwn-0x300001330000002e  2000398934016  512  SIME26600046  drawer 4 slot 10, enclosure 0x3000000000e26600
data-3  4      wwn-0x300001330000002f  2000398934016  512  SIME26600047  drawer 4 slot 11, enclosure 0x3000000000e26600
data-3  5      wwn-0x3000013300000030  2000398934016  512  SIME26600048  drawer 4 slot 12, enclosure 0x3000000000e26600
data-3  6      wwn-0x3000013300000031  2000398934016  512  SIME26600049  drawer 5 slot 01, enclosure 0x3000000000e26600
data-3  7      wwn-0x3000013300000032  2000398934016  512  SIME26600050  drawer 5 slot 02, enclosure 0x3000000000e26600
data-3  8      wwn-0x3000013300000033  2000398934016  512  SIME26600051  drawer 5 slot 03, enclosure 0x3000000000e26600
data-3  9      wwn-0x3000013300000034  2000398934016  512  SIME26600052  drawer 5 slot 04, enclosure 0x3000000000e26600
data-3  10     wwn-0x3000013300000035  2000398934016  512  SIME26600053  drawer 5 slot 05, enclosure 0x3000000000e26600
data-3  11     wwn-0x3000013300000036  2000398934016  512  SIME26600054  drawer 5 slot 06, enclosure 0x3000000000e26600
data-3  12     wwn-0x3000013300000037  2000398934016  512  SIME26600055  drawer 5 slot 07, enclosure 0x3000000000e26600
data-3  13     wwn-0x3000013300000038  2000398934016  512  SIME26600056  drawer 5 slot 08, enclosure 0x3000000000e26600
data-0  spare  wwn-0x3000013300000039  2000398934016  512  SIME26600057  drawer 5 slot 09, enclosure 0x3000000000e26600
data-1  spare  wwn-0x300001330000003a  2000398934016  512  SIME26600058  drawer 5 slot 10, enclosure 0x3000000000e26600
data-2  spare  wwn-0x300001330000003b  2000398934016  512  SIME26600059  drawer 5 slot 11, enclosure 0x3000000000e26600
data-3  spare  wwn-0x300001330000003c  2000398934016  512  SIME26600060  drawer 5 slot 12, enclosure 0x3000000000e26600'
UUIDS='ea1a760a:7c375ca9:a7cc91c3:1988b5a4|6f5b79cb:e76e5eaa:a7e5ea59:d031f154|f7f12a8d:bb195f1e:90a777bf:28a87a1f|75fc0476:c1435394:b05d2264:55a4e066' # of the arrays
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
is e2660 uname --nodename
others=$(find / /etc{,/fstab,/mdadm{,/mdadm.conf},/udev{,/rules.d{,/90-raidtui-data.rules}}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
lines /etc/mdadm/mdadm.conf 90aa2b841e7e6e5d29eba5b945eca7e36836bca060dc70b644529142b3c496a8
lines /etc/fstab 0b31890e64b5532378fa1f3edcc6d16cb277b5285fbbbdacbad6e7192bce9ae0
[[ ! -e /etc/udev/rules.d/90-raidtui-data.rules ]] || sha256sum --check --status <<<'354a5d47ba480c629d45419ea7af82340d8ba1c3c661162f4d28b971ba11d710  /etc/udev/rules.d/90-raidtui-data.rules' ||
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
others=$(grep -vxE '|(raid6 [0-9:]+( LVM2_member [^ ]+)?|lvm [0-9:]+( xfs cd19a11b-da88-51d3-a705-c404cb18264b)?) ?' <<<"$tree") || :
[[ -z $others ]] || stop "this is not the plan's: $others"
group=$(awk '$3 == "LVM2_member" { print "pv_uuid=" $4 }' <<<"$tree" | xargs -rn1 pvs --noheadings -o vg_uuid -S | tr -d ' ' | sort -u)
if [[ -n $group ]]; then volumes=$(lvs --noheadings -o lv_name,lv_tags,pv_count -S "vg_uuid=$group" | tr -s '[:space:]' ' ')
  legs=$(grep -c LVM2_member <<<"$tree")
  [[ -z $volumes || $volumes == " data raidtui_0123456789abcdef0123456789abcdef $legs " ]] || stop "others' volumes or disks: $volumes"
  [[ -z $volumes || $tree == *lvm* ]] || files=uncounted; fi
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
[[ -z $group ]] || { lvremove --yes --select="vg_uuid=$group"; vgremove --select="vg_uuid=$group"; }
lines /etc/mdadm/mdadm.conf 90aa2b841e7e6e5d29eba5b945eca7e36836bca060dc70b644529142b3c496a8 remove
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
