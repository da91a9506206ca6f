"""What md, LVM, XFS, ext4 and a partition table make of some disks: bytes, exact."""
