log='' stopped='' looking='' checking='' wrong=0 lock='' locks=() asked='' answer='' got='' status=0 feeding='' partitioned=''
node=() sequence=() facts=() held=() parts=() words=() signs=() beyond=() ends=() open=()
declare -A NUMBER=() PARTITION=() UUIDS=() disk_of=()
DISKS=() MEMBERS=()
for each in "${TABLE[@]}"; do
  IFS='|' read -r path _ _ _ _ _ _ _ _ table guid _ <<<"$each"
  NUMBER[$path]=${#DISKS[@]}
  DISKS+=("$path")
  number=0
  for part in $guid; do number=$((number + 1)) PARTITION[$path-part$number]=$part; done
  MEMBERS+=("$path${table:+-part1}")
done
for each in "${ARRAYS[@]}"; do
  IFS='|' read -r array uuid each <<<"$each"
  UUIDS[$array]=$uuid
done
readonly DISKS MEMBERS NUMBER PARTITION UUIDS
readonly COLUMNS_ASKED=KNAME,PKNAME,TYPE,SIZE,LOG-SEC,RO,MAJ:MIN,MOUNTPOINT,FSTYPE,LABEL,UUID,PTTYPE,MODEL,SERIAL,WWN
trap '' HUP
trap leave EXIT
trap 'stop 130 interrupted' INT TERM
[[ $EUID -eq 0 ]] || stop 1 "this must run as root"
[[ ! -e /run/systemd/container ]] || stop 1 "this is a container: run the script on its host"
for tool in "${TOOLS[@]}"; do
  command -v "$tool" >/dev/null || stop 3 "$tool is not installed"
done
take_lock
