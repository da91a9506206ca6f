confirm_loss
# The state may have changed while the script waited for a typed answer: check again.
if [[ -z $given_tail ]]; then
  before=$lost
  check
  if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi
  refuse_foreign
  if [[ $lost != "$before" ]]; then stop 1 "the number of files to be lost changed meanwhile; nothing was removed"; fi
fi
checking=
start_log
# Without the locks udev would assemble the arrays again before their superblocks are erased.
lock_disks
