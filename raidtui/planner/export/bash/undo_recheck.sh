confirm_loss
# Between the checks and an answer typed by hand anything may have happened: look again.
if [[ -z $given_tail ]]; then
  before=$lost
  check
  if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi
  refuse_foreign
  if [[ $lost != "$before" ]]; then stop 1 "meanwhile other files were written; nothing was removed"; fi
fi
checking=
start_log
# udev would assemble the arrays again between their stop and the erasing of their superblocks.
lock_disks
