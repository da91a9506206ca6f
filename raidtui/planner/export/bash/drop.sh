# drop_block FILE: takes the plan's own lines out of a file that others write too.
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
