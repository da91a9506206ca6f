"""Checks: findings about a design and its disks; whatever md, LVM or mkfs refuses is an error. Uses geometry."""
