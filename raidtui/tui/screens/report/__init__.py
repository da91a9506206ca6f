"""Screen 7, Report: the report's sections, and the difference to another one."""
