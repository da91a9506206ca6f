# Between the checks and an answer typed by hand anything may have happened: look again.
if [[ -z $given_tail ]]; then check; fi
if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi
checking=
start_log
