#!/bin/bash
# ERASES 3 DISKS of host, 1 of them with content, and builds raid1(2)+1: 1 array, raid1 of 2 disks; 1 hot spare; xfs
# on /srv/data, 2.00 TB by df. Plan data, 0000000000000000000000000000000000000000000000000000000000000000.
#   bash build.sh                                        checks, and writes nothing
#   bash build.sh 00000000 file-system partition-table   checks, erases and builds, in about 1 min
# As root, in tmux. It stops at the first thing that is not as written here and does not resume: undo.sh, then again.
# raidtui build plan.json resumes, and guards against more. It sees processes that have a disk open, data between its
# ends, changes meanwhile, a boot without the arrays. For machines without raidtui it is one file, raidtui-0.1.0.run.
set -euo pipefail; shopt -s inherit_errexit; umask 022
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
# array  member  link in /dev/disk/by-id/  bytes  sector  serial number  hash of both ends  place
readonly DISKS='
data  0      wwn-0x5000c50000000001  2000398934016  512  S001  abababababababababababababababab  slot 7, enclosure shelf
data  1      wwn-0x5000c50000000002  2000398934016  512  S002  blank
data  spare  wwn-0x5000c50000000003  2000398934016  512  S003  blank'
# What was on disks when the plan was made, by serial number; its kind, which is an argument, first.
readonly CONTENT='
S001:  partition-table gpt; file-system partition 1 ext4 my notes 01-46'
# The partitions on them, by link, as lsblk shows them.
readonly WERE='
wwn-0x5000c50000000001  part ext4 my\x20notes 01-46'
# array, member, link, partition, sector, start and size in sectors, GUID, name, GUID of the table
readonly PARTITIONS='
data  0      wwn-0x5000c50000000001  1  512  2048  3907026944  c6275be4-bdef-5d65-9f5c-15264cb4dafc  data-m0  79ae928c-361d-58f8-ac68-329284a6b8f3
data  1      wwn-0x5000c50000000002  1  512  2048  3907026944  c5acec03-c64b-50af-bce4-9ee0cced080e  data-m1  f38f400f-490e-5cc7-af0e-07b7e4ba2287
data  spare  wwn-0x5000c50000000003  1  512  2048  3907026944  dc03681b-217d-5302-9789-f2c2a796a8f7  data-s0  bf1ac2f3-915a-595c-92c3-3f20d445ba32'
stop() { echo "STOPPED: $*" >&2; exit 1; }
is() { # is WANTED COMMAND...: stops unless the command succeeds and prints WANTED, with a blank for a line end
  local got code=0; got=$("${@:2}" | tr -s '[:space:]' ' ') || code=$?; got=${got# }; got=${got% }
  [[ $code$got == "0${1% }" ]] || stop "expected '$1', found '$got' (exit code $code): ${*:2}"
}
# value KEYS COMMAND...: what it prints behind these; disks ARRAY: its members; disks ARRAY 1: its spares
value() { "${@:2}" | sed -En "s/^[[:blank:]]*($1)[[:blank:]]*[:=][[:blank:]]*//p"; }
disks() { awk -v a="$1" -v s="${2-0}" '$1 == a && ($2 == "spare") == s { print "/dev/disk/by-id/" $3 "-part" $4 }' <<<"$PARTITIONS"; }
ends() { # ends DISK BYTES: a hash of its first and last MiB
  for at in 0 $(($2 - 1048576)); do
    dd if="$1" bs=1M count=1 skip="$at" iflag=skip_bytes status=none
  done | b2sum --length=128 | head --bytes=32
}
below() { lsblk -rno TYPE,FSTYPE,LABEL,UUID,MOUNTPOINT "$1" | tail --lines=+2; }
were() { sed --quiet "s|^$1  *||p" <<<"$WERE" | tr '\n' ' '; }
# ---- 1. Check. Nothing is written until all 3 disks are identified and unused, and every name in the plan is free.
[[ $EUID -eq 0 && ! -e /run/systemd/container ]] || stop 'run this as root, not in a container'
exec {lock}>>/run/raidtui.lock; flock --nonblock "$lock" || stop 'raidtui, or another of its scripts, is running'
is host uname --nodename
is ffffffffffffffffffffffffffffffff cat /etc/machine-id
others=$(find / /etc{,/fstab,/mdadm.conf,/udev{,/rules.d}} /srv /var{,/lib{,/raidtui}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
type -P dracut mdadm mkfs.xfs sfdisk xfs_db >/dev/null || stop 'a program is missing'
for name in /dev/md/data /etc/udev/rules.d/90-raidtui-data.rules; do
  [[ ! -e $name && ! -L $name ]] || stop "$name exists"; done
! grep -sE 'raidtui 0123456789abcdef0123456789abcdef |^ARRAY[[:blank:]]+(/dev/md/)?data[[:blank:]]' \
  /etc/mdadm.conf /etc/fstab || stop 'these lines are in the way'
last=$(tail -qc1 /etc/mdadm.conf /etc/fstab 2>/dev/null) || :; [[ -z $last ]] || stop 'a file does not end in a line feed'
! findmnt --mountpoint /srv/data || stop "something is mounted on /srv/data"
! findmnt --fstab --mountpoint /srv/data || stop "fstab has a line for /srv/data"
[[ ! -e /srv/data && ! -L /srv/data ]] || is empty find /srv/data -maxdepth 0 -type d -empty -printf empty
while read -r _ _ link bytes sector serial ends _; do
  disk=/dev/disk/by-id/$link; is "disk $bytes $sector 0 $serial" lsblk -bdrno TYPE,SIZE,LOG-SEC,RO,SERIAL "$disk"
  is '' lsblk -dno MOUNTPOINT "$disk"
  held=$(were "$link")
  is "$held" below "$disk" # partitions as planned, nothing else on it, nothing mounted
  if [[ $ends == blank || $ends == zeros ]]; then
    is '' wipefs "$disk"
    for at in 0 $((bytes - 1048576)); do is '' cmp --bytes=1048576 --ignore-initial="$at:0" "$disk" /dev/zero; done
  else
    is "$ends" ends "$disk" "$bytes"
  fi
done <<<"${DISKS:1}"
echo "This content will be erased, by serial number:$CONTENT"
[[ $* == '00000000 file-system partition-table' ]] || { echo "All is as planned. To erase the 3 disks and build: bash $0 00000000 file-system partition-table"; exit $(($# > 0)); }
install --directory --mode=0700 /var/lib/raidtui /var/lib/raidtui/0123456789abcdef0123456789abcdef
exec </dev/null > >(tee --append /var/lib/raidtui/0123456789abcdef0123456789abcdef/log || true) 2>&1; tee=$! # no program can ask
trap '((! $?)) || echo "STOPPED. undo.sh removes what was built. Log: /var/lib/raidtui"; exec >&- 2>&-; wait $tee' EXIT
PS4='$ '; set -x # each command is shown before it runs
# ---- 2. Old content. Signatures and, at both ends and where the data of the arrays starts, zeros. Nothing old may be
# taken for new.
while read -ru3 _ _ link bytes _ _ ends _; do
  if [[ $ends == blank ]]; then continue; fi
  disk=/dev/disk/by-id/$link end=$((bytes - 4194304))
  for part in "$disk"-part*; do [[ ! -b $part ]] || wipefs --all --lock=yes "$part"; done
  wipefs --all --lock=yes "$disk"
  for at in 0 136314880 2000394649600 "$end"; do
    [[ $at -gt $end ]] || blkdiscard --zeroout --offset="$at" --length=4194304 "$disk"
  done
done 3<<<"${DISKS:1}"
udevadm settle --timeout=180
# ---- 3. Partitions. One GPT on each disk with one partition for md, 1907728 MiB, from 1 MiB on. Type, GUIDs and
# every sector are explicit; sfdisk gets them on its standard input and erases no signature by itself.
while read -ru3 _ _ link _; do
  sort --key=4n <<<"$PARTITIONS" | awk -v disk="$link" '
    $3 == disk && $4 == 1 { printf "label: gpt\nlabel-id: %s\nunit: sectors\ntable-length: 128\n", $10 }
    $3 == disk { printf "start=%s, size=%s, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=%s, name=\"%s\"\n", $6, $7, $8, $9 }' |
    sfdisk --lock=yes --wipe=never --wipe-partitions=never "/dev/disk/by-id/$link"
done 3<<<"${DISKS:1}"
udevadm settle --timeout=180
# ---- 4. Arrays. What another mdadm may choose otherwise is written out; bitmap: a crash syncs only what was being
# written; wipefs: no old signature shows through; spares join last, so that they change neither size nor order.
disks data | xargs -td '\n' mdadm --create /dev/md/data --homehost=host --uuid=42dbae94:1561526f:8ca5d025:9d816dee \
  --metadata=1.2 --level=1 --raid-devices=2 --size=1953381376 --bitmap=internal
udevadm settle --timeout=180; wipefs --all --lock=yes /dev/md/data
disks data 1 | xargs -td '\n' mdadm --manage /dev/md/data --add-spare
# ---- 5. Boot and alerts. The same names at each boot. See that the test mails arrive.
printf '%s\n' '# raidtui 0123456789abcdef0123456789abcdef begin data' \
  'ARRAY /dev/md/data metadata=1.2 UUID=42dbae94:1561526f:8ca5d025:9d816dee' \
  'MAILADDR root' \
  '# raidtui 0123456789abcdef0123456789abcdef end' | tee --append /etc/mdadm.conf
dracut --force --mdadmconf; systemctl enable mdmonitor.service; systemctl restart mdmonitor.service
mdadm --monitor --oneshot --test /dev/md/data
# ---- 6. File system. -K: no discard, which takes hours. Others choose agsize and log (xfsprogs 6.8) and rmapbt (6.5)
# otherwise. nofail: a boot does not wait for it.
mkfs.xfs -K -s size=512 -m uuid=cd19a11b-da88-51d3-a705-c404cb18264b,rmapbt=0,reflink=1 -d agsize=122086336b,noalign \
  -l size=238449b /dev/md/data
mkdir --parents /srv/data
printf '%s\n' '# raidtui 0123456789abcdef0123456789abcdef begin data' \
  'UUID=cd19a11b-da88-51d3-a705-c404cb18264b /srv/data xfs noatime,nofail,x-systemd.device-timeout=5min 0 0' \
  '# raidtui 0123456789abcdef0123456789abcdef end' | tee --append /etc/fstab
systemctl daemon-reload
mount /srv/data || mountpoint /srv/data # systemd may have been faster
# ---- 7. Settings. Read-ahead, the least rate of a rebuild under load; an array with a missing disk starts half a
# minute after boot.
printf '%s\n' '# Arrays of data, made by raidtui plan 0123456789abcdef0123456789abcdef.' \
  'SUBSYSTEM=="block", KERNEL=="md*", ACTION=="add|change", ENV{MD_UUID}=="42dbae94:1561526f:8ca5d025:9d816dee", ATTR{queue/read_ahead_kb}="1024", ATTR{md/sync_speed_min}="10000"' \
  'SUBSYSTEM=="block", ACTION=="add", ENV{ID_FS_TYPE}=="linux_raid_member", ENV{ID_FS_UUID}=="42dbae94-1561-526f-8ca5-d0259d816dee", PROGRAM=="/usr/bin/ls /sys%p/holders", RESULT=="md*", ENV{SYSTEMD_WANTS}+="mdadm-last-resort@%c{1}.timer"' | tee /etc/udev/rules.d/90-raidtui-data.rules
udevadm control --reload
udevadm trigger --action=change --settle --name-match=/dev/md/data
# ---- 8. Read back. Exit codes are no proof: the state read from disks, kernel and files must equal the plan.
{ set +x; } 2>/dev/null
while read -r _ _ link number sector start size guid name table; do
  disk=/dev/disk/by-id/$link
  is "$table" value PTUUID blkid --probe --output export "$disk"
  is "$name $guid a19d880f-05fc-4d3b-a006-743f0f84911e $((start * sector / 512)) $((size * sector / 512))" value \
    'PART_ENTRY_NAME|PART_ENTRY_UUID|PART_ENTRY_TYPE|PART_ENTRY_OFFSET|PART_ENTRY_SIZE' blkid --probe --output export \
    "$disk-part$number"
done <<<"${PARTITIONS:1}"
is 'raid1 2 3' value 'Raid Level|Raid Devices|Working Devices' mdadm --detail /dev/md/data
is '2000262529024 2048' blockdev --getsize64 --getra /dev/md/data
while read -r _ role link number _; do
  disk=/dev/disk/by-id/$link-part$number; [[ $role == spare ]] || role="Active device $role"
  is "42dbae94:1561526f:8ca5d025:9d816dee 264192 sectors $role" value 'Array UUID|Data Offset|Device Role' mdadm \
    --examine "$disk"
done <<<"${PARTITIONS:1}"
is '4096 488345344 122086336 4 0 0 238449 512 0' value \
  'blocksize|dblocks|agblocks|agcount|unit|width|logblocks|sectsize|inprogress' xfs_db -r -c 'sb 0' -c \
  'print blocksize dblocks agblocks agcount unit width logblocks sectsize inprogress' /dev/md/data
is 'cd19a11b-da88-51d3-a705-c404cb18264b 1999285841920' findmnt --bytes -fno UUID,SIZE --mountpoint /srv/data
is /run/systemd/generator/srv-data.mount systemctl show --property=FragmentPath --value srv-data.mount
is active systemctl is-active mdmonitor.service
echo 'Built and read back. The first sync runs, 7.6 h on idle disks: see /proc/mdstat; all is redundant.'
