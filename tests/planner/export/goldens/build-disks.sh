#!/bin/bash
# ERASES 2 DISKS of host and builds 2x disk: ext4 on /srv/data/0 and 1 more. Plan data,
# 0000000000000000000000000000000000000000000000000000000000000000.
#   bash build.sh            checks, and writes nothing
#   bash build.sh 00000000   checks, erases and builds, in about 1 min
# As root, in tmux. It stops at the first thing that is not as written here and does not resume: undo.sh, then again.
# raidtui build plan.json resumes, and guards against more. It sees processes that have a disk open, data between its
# ends, changes meanwhile, a boot without the arrays. For machines without raidtui it is one file, raidtui-0.1.0.run.
set -euo pipefail; shopt -s inherit_errexit; umask 022
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
# array  member  link in /dev/disk/by-id/  bytes  sector  serial number  place
readonly DISKS='
data-0  -  wwn-0x5000c50000000001  2000398934016  512  S001
data-1  -  wwn-0x5000c50000000002  2000398934016  512  S002'
# UUID, device and mount point of each file system
readonly FILE_SYSTEMS='
cd19a11b-da88-51d3-a705-c404cb18264b  /dev/disk/by-id/wwn-0x5000c50000000001  /srv/data/0
08ebd8ea-55a4-595a-a92a-980d60af9e7d  /dev/disk/by-id/wwn-0x5000c50000000002  /srv/data/1'
stop() { echo "STOPPED: $*" >&2; exit 1; }
is() { # is WANTED COMMAND...: stops unless the command succeeds and prints WANTED, with a blank for a line end
  local got code=0; got=$("${@:2}" | tr -s '[:space:]' ' ') || code=$?; got=${got# }; got=${got% }
  [[ $code$got == "0${1% }" ]] || stop "expected '$1', found '$got' (exit code $code): ${*:2}"
}
value() { "${@:2}" | sed -En "s/^[[:blank:]]*($1)[[:blank:]]*[:=][[:blank:]]*//p"; }
# ---- 1. Check. Nothing is written until all 2 disks are identified and unused, and every name in the plan is free.
[[ $EUID -eq 0 && ! -e /run/systemd/container ]] || stop 'run this as root, not in a container'
exec {lock}>>/run/raidtui.lock; flock --nonblock "$lock" || stop 'raidtui, or another of its scripts, is running'
is host uname --nodename
is ffffffffffffffffffffffffffffffff cat /etc/machine-id
others=$(find / /etc{,/fstab} /srv{,/data} /var{,/lib{,/raidtui}} -maxdepth 0 \
  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet
[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"
type -P dumpe2fs mkfs.ext4 >/dev/null || stop 'a program is missing'
! grep -sE 'raidtui 0123456789abcdef0123456789abcdef ' \
  /etc/fstab || stop 'these lines are in the way'
last=$(tail -qc1 /etc/fstab 2>/dev/null) || :; [[ -z $last ]] || stop 'a file does not end in a line feed'
while read -ru3 uuid device place; do
  ! findmnt --mountpoint "$place" || stop "something is mounted on $place"
  ! findmnt --fstab --mountpoint "$place" || stop "fstab has a line for $place"
  [[ ! -e $place && ! -L $place ]] || is empty find "$place" -maxdepth 0 -type d -empty -printf empty
done 3<<<"${FILE_SYSTEMS:1}"
# of each disk one line, its own: nothing is on it and nothing uses it; zeros at both ends
while read -r _ _ link bytes sector serial _; do
  disk=/dev/disk/by-id/$link
  is "disk $bytes $sector 0 $serial" lsblk -brno TYPE,SIZE,LOG-SEC,RO,SERIAL,FSTYPE,MOUNTPOINT "$disk"
  is '' wipefs "$disk"
  for at in 0 $((bytes - 1048576)); do is '' cmp --bytes=1048576 --ignore-initial="$at:0" "$disk" /dev/zero; done
done <<<"${DISKS:1}"
[[ $* == 00000000 ]] || { echo "All is as planned. To erase the 2 disks and build: bash $0 00000000"; exit $(($# > 0)); }
install --directory --mode=0700 /var/lib/raidtui /var/lib/raidtui/0123456789abcdef0123456789abcdef
exec </dev/null > >(tee --append /var/lib/raidtui/0123456789abcdef0123456789abcdef/log || true) 2>&1; tee=$! # no program can ask
trap '((! $?)) || echo "STOPPED. undo.sh removes what was built. Log: /var/lib/raidtui"; exec >&- 2>&-; wait $tee' EXIT
PS4='$ '; set -x # each command is shown before it runs
# ---- 2. File system. nodiscard: a discard takes hours. Features and inodes are written out: each distribution has
# its own mke2fs.conf. nofail: a boot does not wait for it.
while read -ru3 uuid device place; do
  mkfs.ext4 -q -b 4096 -U "$uuid" -O \
    none,has_journal,ext_attr,dir_index,filetype,extent,64bit,flex_bg,sparse_super,large_file,huge_file,dir_nlink,extra_isize,metadata_csum,resize_inode \
    -I 256 -N 122101760 -m 5 -J size=1024 -E nodiscard "$device" 488378646
  mkdir --parents "$place"
done 3<<<"${FILE_SYSTEMS:1}"
printf '%s\n' '# raidtui 0123456789abcdef0123456789abcdef begin data' \
  'UUID=cd19a11b-da88-51d3-a705-c404cb18264b /srv/data/0 ext4 noatime,nofail,x-systemd.device-timeout=5min 0 2' \
  'UUID=08ebd8ea-55a4-595a-a92a-980d60af9e7d /srv/data/1 ext4 noatime,nofail,x-systemd.device-timeout=5min 0 2' \
  '# raidtui 0123456789abcdef0123456789abcdef end' | tee --append /etc/fstab
systemctl daemon-reload
while read -ru3 uuid device place; do
  mount "$place" || mountpoint "$place" # systemd may have been faster
done 3<<<"${FILE_SYSTEMS:1}"
# ---- 3. Read back. Exit codes are no proof: the state read from disks, kernel and files must equal the plan.
{ set +x; } 2>/dev/null
while read -ru3 uuid device place; do
  is 4096 value 'Block size' dumpe2fs -h "$device"
  is 488378646 value 'Block count' dumpe2fs -h "$device"
  is 24418932 value 'Reserved block count' dumpe2fs -h "$device"
  is 122101760 value 'Inode count' dumpe2fs -h "$device"
  is "$uuid 1967847137280" findmnt --bytes -fno UUID,SIZE --mountpoint "$place"
done 3<<<"${FILE_SYSTEMS:1}"
echo 'Built and read back.'
