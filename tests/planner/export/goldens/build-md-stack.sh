#!/bin/bash
# ERASES 7 DISKS of host and builds 2x(2+1)+1: 2 arrays, raid5 of 3 disks; 1 hot spare; an md stripe over them; ext4
# on /srv/data, 7.94 TB by df. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash build.sh            checks, and writes nothing
#   bash build.sh 00000000   checks, erases and builds, in about 1 min
# As root, in tmux. It stops at the first thing that is not as written here and does not resume: undo.sh, then again.
# raidtui build plan.json resumes, and guards against more. It sees processes that have a disk open, data between its
# ends, changes meanwhile, a boot without the arrays. For machines without raidtui it is one file, raidtui-0.1.0.run.
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
readonly ARRAYS=(data-{0..1}) DEVICES=(/dev/md/data-{0..1})
declare -rA UUID=([data-0]=ea1a760a:7c375ca9:a7cc91c3:1988b5a4 [data-1]=6f5b79cb:e76e5eaa:a7e5ea59:d031f154)
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
is host uname --nodename
is ffffffffffffffffffffffffffffffff cat /etc/machine-id
others=$(find / /etc{,/fstab,/mdadm{,/mdadm.conf},/udev{,/rules.d}} /srv /var{,/lib{,/raidtui}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
type -P dumpe2fs mdadm mkfs.ext4 update-initramfs >/dev/null || stop 'a program is missing'
for name in "${DEVICES[@]}" /dev/md/data /etc/udev/rules.d/90-raidtui-data.rules; do
  [[ ! -e $name && ! -L $name ]] || stop "$name exists"; done
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
[[ $* == 00000000 ]] || { echo "All is as planned. To erase the 7 disks and build: bash $0 00000000"; exit $(($# > 0)); }
install --directory --mode=0700 /var/lib/raidtui /var/lib/raidtui/0123456789abcdef0123456789abcdef
exec </dev/null > >(tee --append /var/lib/raidtui/0123456789abcdef0123456789abcdef/log || true) 2>&1; tee=$! # no program can ask
trap '((! $?)) || echo "STOPPED. undo.sh removes what was built. Log: /var/lib/raidtui"; exec >&- 2>&-; wait $tee' EXIT
PS4='$ '; set -x # each command is shown before it runs
# ---- 2. Arrays. What another mdadm may choose otherwise is written out; bitmap: a crash syncs only what was being
# written; wipefs: no old signature shows through; spares join last, so that they change neither size nor order.
disks data-0 | xargs -td '\n' mdadm --create /dev/md/data-0 --homehost=host \
  --uuid=ea1a760a:7c375ca9:a7cc91c3:1988b5a4 --metadata=1.2 --level=5 --raid-devices=3 --layout=left-symmetric \
  --chunk=512K --size=1953382400 --bitmap=internal
udevadm settle --timeout=180; wipefs --all --lock=yes /dev/md/data-0
disks data-0 1 | xargs -td '\n' mdadm --manage /dev/md/data-0 --add-spare
disks data-1 | xargs -td '\n' mdadm --create /dev/md/data-1 --homehost=host \
  --uuid=6f5b79cb:e76e5eaa:a7e5ea59:d031f154 --metadata=1.2 --level=5 --raid-devices=3 --layout=left-symmetric \
  --chunk=512K --size=1953382400 --bitmap=internal
udevadm settle --timeout=180; wipefs --all --lock=yes /dev/md/data-1
# ---- 3. Volume. RAID0 over the arrays; its chunk of 1 MiB is a full stripe of an array.
mdadm --create /dev/md/data --homehost=host --uuid=42dbae94:1561526f:8ca5d025:9d816dee --metadata=1.2 --level=0 \
  --raid-devices=2 --chunk=1024K --data-offset=132096K "${DEVICES[@]}"
udevadm settle --timeout=180
wipefs --all --lock=yes /dev/md/data
# ---- 4. Boot and alerts. The same names at each boot; spare-group: the monitor moves a spare to where one is
# missing. See that the test mails arrive.
touch /etc/mdadm/mdadm.conf; cp --preserve /etc/mdadm/mdadm.conf /etc/mdadm/mdadm.conf.raidtui # lines at its start: the first address counts
cat - /etc/mdadm/mdadm.conf >/etc/mdadm/mdadm.conf.raidtui <<'END'
# raidtui 0123456789abcdef0123456789abcdef begin data
ARRAY /dev/md/data-0 metadata=1.2 UUID=ea1a760a:7c375ca9:a7cc91c3:1988b5a4 spare-group=data
ARRAY /dev/md/data-1 metadata=1.2 UUID=6f5b79cb:e76e5eaa:a7e5ea59:d031f154 spare-group=data
ARRAY /dev/md/data metadata=1.2 UUID=42dbae94:1561526f:8ca5d025:9d816dee
MAILADDR storage@example.org
# raidtui 0123456789abcdef0123456789abcdef end
END
mv /etc/mdadm/mdadm.conf.raidtui /etc/mdadm/mdadm.conf
update-initramfs -u; systemctl restart mdmonitor.service
mdadm --monitor --oneshot --test "${DEVICES[@]}"
# ---- 5. File system. The real stripe; nodiscard: a discard takes hours. Features and inodes are written out: each
# distribution has its own mke2fs.conf. nofail: a boot does not wait for it.
mkfs.ext4 -q -b 4096 -U cd19a11b-da88-51d3-a705-c404cb18264b -O \
  none,has_journal,ext_attr,dir_index,filetype,extent,64bit,flex_bg,sparse_super,large_file,huge_file,dir_nlink,extra_isize,metadata_csum,resize_inode \
  -I 256 -N 244166656 -m 5 -J size=1024 -E nodiscard,stride=128,stripe_width=512 /dev/md/data 1953316352
mkdir --parents /srv/data
printf '%s\n' '# raidtui 0123456789abcdef0123456789abcdef begin data' \
  'UUID=cd19a11b-da88-51d3-a705-c404cb18264b /srv/data ext4 noatime,nofail,x-systemd.device-timeout=5min 0 2' \
  '# raidtui 0123456789abcdef0123456789abcdef end' | tee --append /etc/fstab
systemctl daemon-reload
mount /srv/data || mountpoint /srv/data # systemd may have been faster
# ---- 6. Settings. Read-ahead, stripe caches so that whole stripes are written, the least rate of a rebuild under
# load; an array with a missing disk starts half a minute after boot.
{ echo '# Arrays of data, made by raidtui plan 0123456789abcdef0123456789abcdef.'
for array in "${ARRAYS[@]}"; do u=${UUID[$array]//:/}; cat <<END
# $array: the stripe cache takes up to 24.00 MiB of memory.
SUBSYSTEM=="block", KERNEL=="md*", ACTION=="add|change", ENV{MD_UUID}=="${UUID[$array]}", ATTR{queue/read_ahead_kb}="2048", ATTR{md/stripe_cache_size}="2048", ATTR{md/sync_speed_min}="10000"
SUBSYSTEM=="block", ACTION=="add", ENV{ID_FS_TYPE}=="linux_raid_member", ENV{ID_FS_UUID}=="${u::8}-${u:8:4}-${u:12:4}-${u:16:4}-${u:20}", PROGRAM=="/usr/bin/ls /sys%p/holders", RESULT=="md*", ENV{SYSTEMD_WANTS}+="mdadm-last-resort@%c{1}.timer"
END
done; echo 'SUBSYSTEM=="block", KERNEL=="md*", ACTION=="add|change", ENV{MD_UUID}=="42dbae94:1561526f:8ca5d025:9d816dee", ATTR{queue/read_ahead_kb}="4096"'; } | tee /etc/udev/rules.d/90-raidtui-data.rules
udevadm control --reload
udevadm trigger --action=change --settle --name-match=/dev/md/data-0
udevadm trigger --action=change --settle --name-match=/dev/md/data-1
udevadm trigger --action=change --settle --name-match=/dev/md/data
# ---- 7. Read back. Exit codes are no proof: the state read from disks, kernel and files must equal the plan.
{ set +x; } 2>/dev/null
is 'raid5 3 4 left-symmetric 512K' value 'Raid Level|Raid Devices|Working Devices|Layout|Chunk Size' mdadm --detail \
  /dev/md/data-0
is '4000527155200 4096' blockdev --getsize64 --getra /dev/md/data-0
is 'raid5 3 3 left-symmetric 512K' value 'Raid Level|Raid Devices|Working Devices|Layout|Chunk Size' mdadm --detail \
  /dev/md/data-1
is '4000527155200 4096' blockdev --getsize64 --getra /dev/md/data-1
is 'raid0 2 2 1024K' value 'Raid Level|Raid Devices|Working Devices|Chunk Size' mdadm --detail /dev/md/data
is '8000783777792 8192' blockdev --getsize64 --getra /dev/md/data
while read -r array role link _; do
  disk=/dev/disk/by-id/$link; [[ $role == spare ]] || role="Active device $role"
  is "${UUID[$array]} 264192 sectors $role" value 'Array UUID|Data Offset|Device Role' mdadm --examine "$disk"
done <<<"${DISKS:1}"
is 4096 value 'Block size' dumpe2fs -h /dev/md/data
is 1953316352 value 'Block count' dumpe2fs -h /dev/md/data
is 97665817 value 'Reserved block count' dumpe2fs -h /dev/md/data
is 244166656 value 'Inode count' dumpe2fs -h /dev/md/data
is 128 value 'RAID stride' dumpe2fs -h /dev/md/data
is 512 value 'RAID stripe width' dumpe2fs -h /dev/md/data
is 'cd19a11b-da88-51d3-a705-c404cb18264b 7936530673664' findmnt --bytes -fno UUID,SIZE --mountpoint /srv/data
is /run/systemd/generator/srv-data.mount systemctl show --property=FragmentPath --value srv-data.mount
is newer find /boot -maxdepth 1 -name 'initrd.img-*' -newer /etc/mdadm/mdadm.conf -printf newer -quit
is active systemctl is-active mdmonitor.service
is 'MAILADDR storage@example.org' grep --max-count=1 --ignore-case --extended-regexp '^mai' /etc/mdadm/mdadm.conf
echo 'Built and read back. The first sync runs, 7.6 h on idle disks: see /proc/mdstat; until it ends, one failed disk loses an array.'
