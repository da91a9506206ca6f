"""Boot configuration of a machine and its copy in the initramfs image. Reads only."""
