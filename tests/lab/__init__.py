"""The lab: real md, LVM, mkfs and udev in a throw-away virtual machine."""
