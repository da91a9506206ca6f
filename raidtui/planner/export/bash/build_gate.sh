checking=yes
check
show_disks 'WILL BE'
if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi
if [[ -n $only_check ]]; then
  say "All checks passed; nothing was written. ${#CONTENT[@]} disks hold content; erasing it needs consent."
  exit 0
fi
give_up_content
