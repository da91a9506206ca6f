"""The bash that is the same in every script: settings, a few short functions, and how a script starts."""

SETTINGS = """\
set -euo pipefail
shopt -s inherit_errexit
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
umask 022
"""

FUNCTIONS = r"""
# say TEXT: to the terminal, and to the log once there is one.
say() {
  printf '%s\n' "$1" 2>/dev/null || :
  if [[ -n $log ]]; then printf '%(%FT%T)T %s\n' -1 "$1" >>"$log"; fi
}

# stop EXIT_CODE TEXT
stop() {
  say "STOPPED: $2"
  if [[ -n $log ]]; then say "The log is $log. $WAY_BACK"; fi
  exit "$1"
}

# step TITLE
step() {
  asked=
  say "== $1"
}

# run COMMAND...: logs it, runs it without input, stops when it fails. Ctrl-C takes effect after it, not in it.
run() {
  local line code=0
  printf -v line ' %q' "$@"
  asked=
  say "  \$$line"
  (trap '' INT TERM; exec "$@" </dev/null >>"$log" 2>&1) || code=$?
  if [[ $code -eq 0 ]]; then return; fi
  # systemd may have mounted what fstab names a moment before; whether it is the right one is read back
  if [[ $1 == mount ]] && findmnt --mountpoint "${!#}" >>"$log"; then return; fi
  stop 3 "exit code $code of:$line"
}

# ask KEY EXITS COMMAND...: sets `got` to what a read-only command says, or to what it says KEY is; fails unless its
# exit code is in EXITS. Asked again before anything was done, it is not run twice.
ask() {
  local key=$1 exits=",$2," line
  shift 2
  if [[ "$*" != "$asked" ]]; then
    status=0
    text=$("$@" </dev/null 2>/dev/null) || status=$?
    asked="$*"
  fi
  got=
  [[ $exits == *",$status,"* ]] || return 1
  if [[ -z $key ]]; then
    got=${text#"${text%%[![:space:]]*}"}
    got=${got%"${got##*[![:space:]]}"}
    return
  fi
  while IFS= read -r line; do
    if [[ $line =~ ^[[:blank:]]*"$key"[[:blank:]]*[=:][[:blank:]]*(.*[^[:blank:]])[[:blank:]]*$ ]]; then
      got=${BASH_REMATCH[1]}
      return
    fi
  done <<<"$text"
  return 1
}

# ours WHAT KEY WANTED EXITS COMMAND...: true when the answer is WANTED.
ours() {
  local key=$2 wanted=$3 exits=$4
  shift 4
  ask "$key" "$exits" "$@" && [[ $got == "$wanted" ]]
}

# must WHAT KEY WANTED EXITS COMMAND...: reads back and compares; while checking it counts, otherwise it stops.
must() {
  local what=$1 key=$2 wanted=$3 exits=$4 line
  shift 4
  if ask "$key" "$exits" "$@" && [[ $got == "$wanted" ]]; then
    say "  ok: $what"
    return
  fi
  printf -v line ' %q' "$@"
  printf -v got '%q' "$got"
  printf -v wanted '%q' "$wanted"
  say "  NOT SO: $what"
  say "    $got, not $wanted, exit code $status of:$line"
  if [[ -z $checking ]]; then stop 3 "not as planned: $what"; fi
  wrong=$((wrong + 1))
}

# lock_disks / unlock_disks: the advisory lock of every disk, so that udev does not touch what is being wiped.
lock_disks() {
  local disk fd
  for disk in "${DISKS[@]}"; do
    exec {fd}<"$disk"
    flock --exclusive --timeout 60 "$fd" || stop 5 "another program holds the lock of $disk"
    locks+=("$fd")
  done
}
unlock_disks() {
  local fd
  for fd in "${locks[@]}"; do exec {fd}<&-; done
  locks=()
}

# put_block FILE MODE / drop_block FILE: the plan's own lines (standard input) in a file that others write too.
put_block() {
  local file
  file=$(readlink -m -- "$1")
  say "  writes the plan's lines into $file"
  if [[ -e $file ]]; then
    cp --preserve -- "$file" "$STATE/before-${file##*/}"
    cp --preserve -- "$file" "$file.raidtui"
    sed -e "/^$BEGIN\$/,/^$END\$/d" -e "\$a\\" -- "$STATE/before-${file##*/}" >"$file.raidtui"
  else
    install --mode="$2" /dev/null "$file.raidtui"
  fi
  { printf '%s\n' "$BEGIN"; cat; printf '%s\n' "$END"; } >>"$file.raidtui"
  sync -- "$file.raidtui"
  mv -- "$file.raidtui" "$file"
  sync -- "${file%/*}"
}
drop_block() {
  local file
  file=$(readlink -m -- "$1")
  if ! grep --quiet --line-regexp --fixed-strings -- "$BEGIN" "$file" 2>/dev/null; then return; fi
  say "  takes the plan's lines out of $file"
  cp --preserve -- "$file" "$STATE/after-${file##*/}"
  cp --preserve -- "$file" "$file.raidtui"
  sed -e "/^$BEGIN\$/,/^$END\$/d" -- "$STATE/after-${file##*/}" >"$file.raidtui"
  sync -- "$file.raidtui"
  mv -- "$file.raidtui" "$file"
  sync -- "${file%/*}"
}

# put_file FILE MODE: a file of the plan's own (standard input) that must not exist yet.
put_file() {
  say "  writes $1"
  if [[ -e $1 || -L $1 ]]; then stop 3 "$1 exists"; fi
  install --mode="$2" /dev/null "$1.raidtui"
  cat >>"$1.raidtui"
  sync -- "$1.raidtui"
  mv --no-clobber -- "$1.raidtui" "$1"
}

# one_disk_each: no two of the paths are the same device.
one_disk_each() {
  local count
  count=$(for disk in "${DISKS[@]}"; do readlink -e -- "$disk" || :; done | sort --unique | wc --lines)
  [[ $count -eq ${#DISKS[@]} ]] || stop 4 "${#DISKS[@]} paths lead to $count devices"
}

# confirm VERB: a typed phrase on a terminal, or the tail of the digest as argument; nothing else, no time, no Enter.
confirm() {
  local phrase
  if [[ -n $given_tail ]]; then
    [[ $given_tail == "${DIGEST: -8}" ]] || stop 1 "--yes-erase $given_tail is not the tail of this plan's digest"
    return
  fi
  [[ -t 0 ]] || stop 1 "no terminal to confirm on: read the script, then give --yes-erase and the digest's last 8"
  printf '%s\nType "erase %s" to go on: ' "$1" "${#DISKS[@]}"
  IFS= read -r phrase
  [[ $phrase == "erase ${#DISKS[@]}" ]] || stop 1 "not confirmed; nothing was written"
}

# start_log: the one place where a run begins to write.
start_log() {
  install --directory --mode=0700 "$STATE"
  log=$STATE/log
  (umask 077; : >>"$log")
  say "run of $0 with digest $DIGEST"
}

log='' checking='' wrong=0 given_tail='' only_check='' locks=() asked='' text='' got='' status=0
while [[ $# -gt 0 ]]; do
  case $1 in
    --check) only_check=yes; shift ;;
    --yes-erase) given_tail=${2-none}; shift; shift || : ;;
    *) printf 'usage: %s [--check] [--yes-erase DIGEST_TAIL]\n' "$0" >&2; exit 2 ;;
  esac
done
trap '' HUP
trap 'stop 130 interrupted' INT TERM
[[ $EUID -eq 0 ]] || stop 1 "this must run as root"
[[ ! -e /run/systemd/container ]] || stop 1 "this is a container; disks belong to its host"
for tool in "${TOOLS[@]}"; do
  command -v "$tool" >/dev/null || stop 3 "$tool is not installed"
done
"""
