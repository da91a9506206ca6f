#!/bin/bash
# shellcheck disable=SC2317,SC2329 # nothing below the next line runs
echo 'STOPPED: the disks of this plan are simulated: a script to read, for disks that no machine has' >&2; exit 1
# ERASES 7 DISKS of jbod84 and builds (4+2)+1: 1 array, raid6 of 6 disks; 1 hot spare; xfs on /srv/data, 80.0 TB by
# df. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash build.sh            checks, and writes nothing
#   bash build.sh 00000000   checks, erases and builds, in about 1 min
# As root, in tmux. It stops at the first thing that is not as written here and does not resume: undo.sh, then again.
# raidtui build plan.json resumes, and guards against more. It sees processes that have a disk open, data between its
# ends, changes meanwhile, a boot without the arrays. For machines without raidtui it is one file, raidtui-0.1.0.run.
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
stop() { echo "STOPPED: $*" >&2; exit 1; }
is() { # is WANTED COMMAND...: stops unless the command succeeds and prints WANTED, with a blank for a line end
  local got code=0; got=$("${@:2}" | tr -s '[:space:]' ' ') || code=$?; got=${got# }; got=${got% }
  [[ $code$got == "0${1% }" ]] || stop "expected '$1', found '$got' (exit code $code): ${*:2}"
}
# value KEYS COMMAND...: what it prints behind these; disks ARRAY: its members; disks ARRAY 1: its spares
value() { "${@:2}" | sed -En "s/^[[:blank:]]*($1)[[:blank:]]*[:=][[:blank:]]*//p"; }
disks() { awk -v a="$1" -v s="${2-0}" '$1 == a && ($2 == "spare") == s { print "/dev/disk/by-id/" $3 }' <<<"$DISKS"; }
# ---- 1. Check. Nothing is written until all 7 disks are identified and unused, and every name in the plan is free.
[[ $EUID -eq 0 && ! -e /run/systemd/container ]] || stop 'run this as root, not in a container'
exec {lock}>>/run/raidtui.lock; flock --nonblock "$lock" || stop 'raidtui, or another of its scripts, is running'
is jbod84 uname --nodename
others=$(find / /etc{,/fstab,/mdadm{,/mdadm.conf},/udev{,/rules.d}} /srv /var{,/lib{,/raidtui}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
type -P mdadm mkfs.xfs update-initramfs xfs_db >/dev/null || stop 'a program is missing'
for name in /dev/md/data /etc/udev/rules.d/90-raidtui-data.rules; do
  [[ ! -e $name && ! -L $name ]] || stop "$name exists"; done
! grep -sE 'raidtui 0123456789abcdef0123456789abcdef |^ARRAY[[:blank:]]+(/dev/md/)?data[[:blank:]]' \
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
[[ $* == 00000000 ]] || { echo "All is as planned. To erase the 7 disks and build: bash $0 00000000"; exit $(($# > 0)); }
install --directory --mode=0700 /var/lib/raidtui /var/lib/raidtui/0123456789abcdef0123456789abcdef
exec </dev/null > >(tee --append /var/lib/raidtui/0123456789abcdef0123456789abcdef/log || true) 2>&1; tee=$! # no program can ask
trap '((! $?)) || echo "STOPPED. undo.sh removes what was built. Log: /var/lib/raidtui"; exec >&- 2>&-; wait $tee' EXIT
PS4='$ '; set -x # each command is shown before it runs
# ---- 2. Arrays. What another mdadm may choose otherwise is written out; bitmap: a crash syncs only what was being
# written; wipefs: no old signature shows through; spares join last, so that they change neither size nor order.
disks data | xargs -td '\n' mdadm --create /dev/md/data --homehost=jbod84 --uuid=42dbae94:1561526f:8ca5d025:9d816dee \
  --metadata=1.2 --level=6 --raid-devices=6 --layout=left-symmetric --chunk=512K --size=19531693056 \
  --bitmap=internal
udevadm settle --timeout=180; wipefs --all --lock=yes /dev/md/data
disks data 1 | xargs -td '\n' mdadm --manage /dev/md/data --add-spare
# ---- 3. Boot and alerts. The same names at each boot. See that the test mails arrive.
printf '%s\n' '# raidtui 0123456789abcdef0123456789abcdef begin data' \
  'ARRAY /dev/md/data metadata=1.2 UUID=42dbae94:1561526f:8ca5d025:9d816dee' \
  'MAILADDR root' \
  '# raidtui 0123456789abcdef0123456789abcdef end' | tee --append /etc/mdadm/mdadm.conf
update-initramfs -u; systemctl restart mdmonitor.service
mdadm --monitor --oneshot --test /dev/md/data
# ---- 4. File system. The real stripe, which mkfs does not always see; -K: no discard, which takes hours. Others
# choose agsize and log (xfsprogs 6.8) and rmapbt (6.5) otherwise. nofail: a boot does not wait for it.
mkfs.xfs -K -s size=4096 -m uuid=cd19a11b-da88-51d3-a705-c404cb18264b,rmapbt=0,reflink=1 -d \
  agsize=268435328b,su=524288,sw=4 -l size=521728b,su=4096 /dev/md/data
mkdir --parents /srv/data
printf '%s\n' '# raidtui 0123456789abcdef0123456789abcdef begin data' \
  'UUID=cd19a11b-da88-51d3-a705-c404cb18264b /srv/data xfs noatime,nofail,x-systemd.device-timeout=5min 0 0' \
  '# raidtui 0123456789abcdef0123456789abcdef end' | tee --append /etc/fstab
systemctl daemon-reload
mount /srv/data || mountpoint /srv/data # systemd may have been faster
# ---- 5. Settings. Read-ahead, stripe caches so that whole stripes are written, the least rate of a rebuild under
# load; an array with a missing disk starts half a minute after boot.
printf '%s\n' '# Arrays of data, made by raidtui plan 0123456789abcdef0123456789abcdef.' \
  '# data: the stripe cache takes up to 48.00 MiB of memory.' \
  'SUBSYSTEM=="block", KERNEL=="md*", ACTION=="add|change", ENV{MD_UUID}=="42dbae94:1561526f:8ca5d025:9d816dee", ATTR{queue/read_ahead_kb}="4096", ATTR{md/stripe_cache_size}="2048", ATTR{md/sync_speed_min}="10000"' \
  'SUBSYSTEM=="block", ACTION=="add", ENV{ID_FS_TYPE}=="linux_raid_member", ENV{ID_FS_UUID}=="42dbae94-1561-526f-8ca5-d0259d816dee", PROGRAM=="/usr/bin/ls /sys%p/holders", RESULT=="md*", ENV{SYSTEMD_WANTS}+="mdadm-last-resort@%c{1}.timer"' | tee /etc/udev/rules.d/90-raidtui-data.rules
udevadm control --reload
udevadm trigger --action=change --settle --name-match=/dev/md/data
# ---- 6. Read back. Exit codes are no proof: the state read from disks, kernel and files must equal the plan.
{ set +x; } 2>/dev/null
is 'raid6 6 7 left-symmetric 512K' value 'Raid Level|Raid Devices|Working Devices|Layout|Chunk Size' mdadm --detail \
  /dev/md/data
is '80001814757376 8192' blockdev --getsize64 --getra /dev/md/data
while read -r _ role link _; do
  disk=/dev/disk/by-id/$link; [[ $role == spare ]] || role="Active device $role"
  is "42dbae94:1561526f:8ca5d025:9d816dee 264192 sectors $role" value 'Array UUID|Data Offset|Device Role' mdadm \
    --examine "$disk"
done <<<"${DISKS:1}"
is '4096 19531693056 268435328 73 128 512 521728 4096 0' value \
  'blocksize|dblocks|agblocks|agcount|unit|width|logblocks|sectsize|inprogress' xfs_db -r -c 'sb 0' -c \
  'print blocksize dblocks agblocks agcount unit width logblocks sectsize inprogress' /dev/md/data
is 'cd19a11b-da88-51d3-a705-c404cb18264b 79999677759488' findmnt --bytes -fno UUID,SIZE --mountpoint /srv/data
is /run/systemd/generator/srv-data.mount systemctl show --property=FragmentPath --value srv-data.mount
is newer find /boot -maxdepth 1 -name 'initrd.img-*' -newer /etc/mdadm/mdadm.conf -printf newer -quit
is active systemctl is-active mdmonitor.service
echo 'Built and read back. The first sync runs, 31 h on idle disks that are zero, about 4.3 days on used ones: see /proc/mdstat; all is redundant.'
