"""From a design and disks to its prediction. Uses the models below it."""
