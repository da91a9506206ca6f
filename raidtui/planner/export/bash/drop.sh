# drop_block FILE: removes the plan's lines from a shared file.
drop_block() {
  local file
  file=$(readlink -m -- "$1")
  if ! grep --quiet --line-regexp --fixed-strings -- "$BEGIN" "$file" 2>/dev/null; then return; fi
  say "  removes the plan's lines from $file"
  cp --preserve -- "$file" "$STATE/after-${file##*/}"
  cp --preserve -- "$file" "$file.raidtui"
  sed -e "/^$BEGIN\$/,/^$END\$/d" -- "$STATE/after-${file##*/}" >"$file.raidtui"
  sync -- "$file.raidtui"
  mv -- "$file.raidtui" "$file"
  sync -- "${file%/*}"
}
