"""Rules of `raidtui audit`: what is wrong, or will be, with arrays that exist. They judge values; nothing is read."""
