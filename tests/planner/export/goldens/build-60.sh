#!/bin/bash
# shellcheck disable=SC2317,SC2329 # nothing below the next line runs
echo 'STOPPED: the disks of this plan are simulated: a script to read, for disks that no machine has' >&2; exit 1
# ERASES 60 DISKS of e2660 and builds 4x(12+2)+4: 4 arrays, raid6 of 14 disks; 4 hot spares; an LVM stripe over them;
# xfs on /srv/data, 96.0 TB by df. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash build.sh            checks, and writes nothing
#   bash build.sh 00000000   checks, erases and builds, in about 2 min
# As root, in tmux. It stops at the first thing that is not as written here and does not resume: undo.sh, then again.
# raidtui build plan.json resumes, and guards against more. It sees processes that have a disk open, data between its
# ends, changes meanwhile, a boot without the arrays. For machines without raidtui it is one file, raidtui-0.1.0.run.
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
readonly ARRAYS=(data-{0..3}) DEVICES=(/dev/md/data-{0..3})
declare -rA UUID=([data-0]=ea1a760a:7c375ca9:a7cc91c3:1988b5a4 [data-1]=6f5b79cb:e76e5eaa:a7e5ea59:d031f154
  [data-2]=f7f12a8d:bb195f1e:90a777bf:28a87a1f [data-3]=75fc0476:c1435394:b05d2264:55a4e066)
declare -rA PV=([data-0]=30a528-7730-6c5f-1ca5-5488-cd5c-5ff8ce [data-1]=38982e-21cb-5f5e-8d9e-dd02-67df-cfdc59
  [data-2]=8cb36c-9cb5-ae5a-c1aa-d30b-f0ba-7c2e98 [data-3]=cdc821-28d5-0357-c18a-f23c-65c1-2e103f)
stop() { echo "STOPPED: $*" >&2; exit 1; }
is() { # is WANTED COMMAND...: stops unless the command succeeds and prints WANTED, with a blank for a line end
  local got code=0; got=$("${@:2}" | tr -s '[:space:]' ' ') || code=$?; got=${got# }; got=${got% }
  [[ $code$got == "0${1% }" ]] || stop "expected '$1', found '$got' (exit code $code): ${*:2}"
}
# value KEYS COMMAND...: what it prints behind these; disks ARRAY: its members; disks ARRAY 1: its spares
value() { "${@:2}" | sed -En "s/^[[:blank:]]*($1)[[:blank:]]*[:=][[:blank:]]*//p"; }
disks() { awk -v a="$1" -v s="${2-0}" '$1 == a && ($2 == "spare") == s { print "/dev/disk/by-id/" $3 }' <<<"$DISKS"; }
# ---- 1. Check. Nothing is written until all 60 disks are identified and unused, and every name in the plan is free.
[[ $EUID -eq 0 && ! -e /run/systemd/container ]] || stop 'run this as root, not in a container'
exec {lock}>>/run/raidtui.lock; flock --nonblock "$lock" || stop 'raidtui, or another of its scripts, is running'
is e2660 uname --nodename
others=$(find / /etc{,/fstab,/mdadm{,/mdadm.conf},/udev{,/rules.d}} /srv /var{,/lib{,/raidtui}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
type -P lvcreate mdadm mkfs.xfs pvcreate update-initramfs vgcreate xfs_db >/dev/null || stop 'a program is missing'
for name in "${DEVICES[@]}" /dev/data /etc/udev/rules.d/90-raidtui-data.rules; do
  [[ ! -e $name && ! -L $name ]] || stop "$name exists"; done
is '' vgs --noheadings --options=vg_name --select=vg_name=data
! grep -sE 'raidtui 0123456789abcdef0123456789abcdef |^ARRAY[[:blank:]]+(/dev/md/)?data(-[0-9]+)?[[:blank:]]' \
  /etc/mdadm/mdadm.conf /etc/fstab || stop 'these lines are in the way'
last=$(tail -qc1 /etc/mdadm/mdadm.conf /etc/fstab 2>/dev/null) || :; [[ -z $last ]] || stop 'a file does not end in a line feed'
! findmnt --mountpoint /srv/data || stop "something is mounted on /srv/data"
! findmnt --fstab --mountpoint /srv/data || stop "fstab has a line for /srv/data"
[[ ! -e /srv/data && ! -L /srv/data ]] || is empty find /srv/data -maxdepth 0 -type d -empty -printf empty
# of each disk one line, its own: nothing is on it and nothing uses it; zeros at both ends
while read -r _ _ link bytes sector serial _; do
  disk=/dev/disk/by-id/$link
  is "disk $bytes $sector 0 $serial" lsblk -brno TYPE,SIZE,LOG-SEC,RO,SERIAL,FSTYPE,MOUNTPOINT "$disk"
  is '' wipefs "$disk"
  for at in 0 $((bytes - 1048576)); do is '' cmp --bytes=1048576 --ignore-initial="$at:0" "$disk" /dev/zero; done
done <<<"${DISKS:1}"
[[ $* == 00000000 ]] || { echo "All is as planned. To erase the 60 disks and build: bash $0 00000000"; exit $(($# > 0)); }
install --directory --mode=0700 /var/lib/raidtui /var/lib/raidtui/0123456789abcdef0123456789abcdef
exec </dev/null > >(tee --append /var/lib/raidtui/0123456789abcdef0123456789abcdef/log || true) 2>&1; tee=$! # no program can ask
trap '((! $?)) || echo "STOPPED. undo.sh removes what was built. Log: /var/lib/raidtui"; exec >&- 2>&-; wait $tee' EXIT
PS4='$ '; set -x # each command is shown before it runs
# ---- 2. Arrays. What another mdadm may choose otherwise is written out; bitmap: a crash syncs only what was being
# written; wipefs: no old signature shows through; spares join last, so that they change neither size nor order.
for array in "${ARRAYS[@]}"; do
  disks "$array" | xargs -td '\n' mdadm --create "/dev/md/$array" --homehost=e2660 "--uuid=${UUID[$array]}" \
    --metadata=1.2 --level=6 --raid-devices=14 --layout=left-symmetric --chunk=512K --size=1953382400 \
    --bitmap=internal
  udevadm settle --timeout=180; wipefs --all --lock=yes "/dev/md/$array"
  disks "$array" 1 | xargs -td '\n' mdadm --manage "/dev/md/$array" --add-spare
done
# ---- 3. Boot and alerts. The same names at each boot; spare-group: the monitor moves a spare to where one is
# missing. See that the test mails arrive.
{ echo '# raidtui 0123456789abcdef0123456789abcdef begin data'
for array in "${ARRAYS[@]}"; do echo "ARRAY /dev/md/$array metadata=1.2 UUID=${UUID[$array]} spare-group=data"; done
echo 'MAILADDR root'; echo '# raidtui 0123456789abcdef0123456789abcdef end'; } | tee --append /etc/mdadm/mdadm.conf
update-initramfs -u; systemctl restart mdmonitor.service
mdadm --monitor --oneshot --test "${DEVICES[@]}"
# ---- 4. Volume. Extents start on a full stripe, 6 MiB. Read-ahead: two of the volume.
for array in "${ARRAYS[@]}"; do pvcreate --dataalignment=6144k "--uuid=${PV[$array]}" --norestorefile "/dev/md/$array"; done
vgcreate --physicalextentsize=6144k data "${DEVICES[@]}"
lvcreate --yes --wipesignatures=y --zero=y --type=striped --stripes=4 --stripesize=512k --extents=15260796 \
  --readahead=98304 --addtag=raidtui_0123456789abcdef0123456789abcdef --name=data data
# ---- 5. File system. The real stripe, which mkfs does not always see; -K: no discard, which takes hours. Others
# choose agsize and log (xfsprogs 6.8) and rmapbt (6.5) otherwise. nofail: a boot does not wait for it.
mkfs.xfs -K -s size=512 -m uuid=cd19a11b-da88-51d3-a705-c404cb18264b,rmapbt=0,reflink=1 -d \
  agsize=268435328b,su=524288,sw=48 -l size=521728b,su=32768 /dev/data/data
mkdir --parents /srv/data
printf '%s\n' '# raidtui 0123456789abcdef0123456789abcdef begin data' \
  'UUID=cd19a11b-da88-51d3-a705-c404cb18264b /srv/data xfs noatime,nofail,x-systemd.device-timeout=5min 0 0' \
  '# raidtui 0123456789abcdef0123456789abcdef end' | tee --append /etc/fstab
systemctl daemon-reload
mount /srv/data || mountpoint /srv/data # systemd may have been faster
# ---- 6. Settings. Read-ahead, stripe caches so that whole stripes are written, the least rate of a rebuild under
# load; an array with a missing disk starts half a minute after boot.
{ echo '# Arrays of data, made by raidtui plan 0123456789abcdef0123456789abcdef.'
for array in "${ARRAYS[@]}"; do u=${UUID[$array]//:/}; cat <<END
# $array: the stripe cache takes up to 112.0 MiB of memory.
SUBSYSTEM=="block", KERNEL=="md*", ACTION=="add|change", ENV{MD_UUID}=="${UUID[$array]}", ATTR{queue/read_ahead_kb}="12288", ATTR{md/stripe_cache_size}="2048", ATTR{md/sync_speed_min}="10000"
SUBSYSTEM=="block", ACTION=="add", ENV{ID_FS_TYPE}=="linux_raid_member", ENV{ID_FS_UUID}=="${u::8}-${u:8:4}-${u:12:4}-${u:16:4}-${u:20}", PROGRAM=="/usr/bin/ls /sys%p/holders", RESULT=="md*", ENV{SYSTEMD_WANTS}+="mdadm-last-resort@%c{1}.timer"
END
done; } | tee /etc/udev/rules.d/90-raidtui-data.rules
udevadm control --reload
for array in "${ARRAYS[@]}"; do udevadm trigger --action=change --settle "--name-match=/dev/md/$array"; done
# ---- 7. Read back. Exit codes are no proof: the state read from disks, kernel and files must equal the plan.
{ set +x; } 2>/dev/null
for array in "${ARRAYS[@]}"; do
  is 'raid6 14 15 left-symmetric 512K' value 'Raid Level|Raid Devices|Working Devices|Layout|Chunk Size' mdadm \
    --detail "/dev/md/$array"
  is '24003162931200 24576' blockdev --getsize64 --getra "/dev/md/$array"
done
while read -r array role link _; do
  disk=/dev/disk/by-id/$link; [[ $role == spare ]] || role="Active device $role"
  is "${UUID[$array]} 264192 sectors $role" value 'Array UUID|Data Offset|Device Role' mdadm --examine "$disk"
done <<<"${DISKS:1}"
is 4,524288,6291456,96012626558976 lvs --noheadings --nosuffix --units=b --separator=, \
  --options=stripes,stripe_size,vg_extent_size,lv_size data/data
for each in "${DEVICES[@]}"; do is 6291456 pvs --noheadings --nosuffix --units=b --options=pe_start "$each"; done
is '4096 23440582656 268435328 88 128 6144 521728 512 0' value \
  'blocksize|dblocks|agblocks|agcount|unit|width|logblocks|sectsize|inprogress' xfs_db -r -c 'sb 0' -c \
  'print blocksize dblocks agblocks agcount unit width logblocks sectsize inprogress' /dev/data/data
is 'cd19a11b-da88-51d3-a705-c404cb18264b 96010489561088' findmnt --bytes -fno UUID,SIZE --mountpoint /srv/data
is /run/systemd/generator/srv-data.mount systemctl show --property=FragmentPath --value srv-data.mount
is newer find /boot -maxdepth 1 -name 'initrd.img-*' -newer /etc/mdadm/mdadm.conf -printf newer -quit
is active systemctl is-active mdmonitor.service
echo 'Built and read back. The first sync runs, 5.8 h on idle disks that are zero, about 19 h on used ones: see /proc/mdstat; all is redundant.'
