"""What the next boot does with md arrays: mdadm.conf, udev rules, initramfs images, removed disks. Uses compile."""
