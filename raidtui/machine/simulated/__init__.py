"""A machine that is none: a stateful model of disks, md, LVM, file systems, boot and time behind `Runner`."""
