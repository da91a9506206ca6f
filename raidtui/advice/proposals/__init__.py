"""The layouts worth a look for some disks, with every figure, reasons and answers."""
