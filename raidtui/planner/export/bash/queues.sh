# queue_value N NAME: sets `file` to the file NAME of disk N in sysfs and `now` to its value; fails if it has none.
queue_value() {
  file=/sys/class/block/${node[$1]##*/}/$2 now=
  [[ -e $file ]] || return 1
  now=$(<"$file")
  if [[ $now =~ \[([a-z0-9_-]+)\] ]]; then now=${BASH_REMATCH[1]}; fi
}
