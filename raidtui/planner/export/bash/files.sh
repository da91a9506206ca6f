# put_block FILE MODE [first]: writes the plan's lines (standard input) to the end of a shared file, or to its beginning.
# has_block FILE: requires them there.
put_block() {
  local file at changed wanted
  blocks[$1]=$(cat)
  find_block "$1"
  if [[ -n $changed ]]; then stop 3 "$changed"; fi
  say "  writes the plan's lines into $file"
  if [[ -e $file ]]; then
    cp --preserve -- "$file" "$STATE/before-${file##*/}"
    cp --preserve -- "$file" "$file.raidtui"
    {
      [[ ${3-} != first ]] || printf '%s\n' "$BEGIN" "${blocks[$1]}" "$END"
      without_block "$STATE/before-${file##*/}" | sed -e "\$a\\"
    } >"$file.raidtui"
  else
    install --mode="$2" /dev/null "$file.raidtui"
  fi
  if [[ ${3-} != first || ! -e $file ]]; then printf '%s\n' "$BEGIN" "${blocks[$1]}" "$END" >>"$file.raidtui"; fi
  sync -- "$file.raidtui"
  mv -- "$file.raidtui" "$file"
  sync -- "${file%/*}"
}

has_block() {
  local wanted="$BEGIN"$'\n'"${blocks[$1]}"$'\n'"$END"
  must "$1 has the lines of the plan" "$wanted" 0 sed --quiet "/^$BEGIN\$/,/^$END\$/p" "$1"
}

# put_file FILE MODE: writes a new file (standard input); stops if it exists.
put_file() {
  say "  writes $1"
  if [[ -e $1 || -L $1 ]]; then stop 3 "$1 exists already"; fi
  install --mode="$2" /dev/null "$1.raidtui"
  cat >>"$1.raidtui"
  sync -- "$1.raidtui"
  mv --no-clobber -- "$1.raidtui" "$1"
}
