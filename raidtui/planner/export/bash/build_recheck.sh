# The state may have changed while the script waited for a typed answer: check again.
if [[ -z $given_tail ]]; then check; fi
if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi
checking=
start_log
