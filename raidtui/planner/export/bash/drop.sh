# drop_block FILE: removes the plan's lines from a shared file.
drop_block() {
  local file at changed wanted
  find_block "$1"
  if [[ -n $changed ]]; then stop 3 "$changed"; fi
  if [[ $at -eq 0 ]]; then return; fi
  say "  removes the plan's lines from $file"
  cp --preserve -- "$file" "$STATE/after-${file##*/}"
  cp --preserve -- "$file" "$file.raidtui"
  without_block "$STATE/after-${file##*/}" >"$file.raidtui"
  sync -- "$file.raidtui"
  mv -- "$file.raidtui" "$file"
  sync -- "${file%/*}"
}
# survey_block FILE: the plan's lines in a shared file; if they are not as they were written, they are in the way.
survey_block() {
  local file at changed wanted
  find_block "$1"
  if [[ -n $changed ]]; then foreign+=("$changed"); elif [[ $at -gt 0 ]]; then there "lines in $1"; fi
}
