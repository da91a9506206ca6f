"""A benchmark on several hosts at once: fio's servers started by ssh, one client here."""
