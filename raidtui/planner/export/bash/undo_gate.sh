checking=yes
check
if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi
refuse_foreign
if [[ $found -eq 0 ]]; then stop 1 "nothing of this plan is here; nothing was written"; fi
show_disks WAS
if [[ -n $only_check ]]; then say "$found parts of the plan are here; nothing was written."; exit 0; fi
