"""Command line: options, one module for each verb, and `main`, which loads the module of the verb it is given."""

from raidtui.cli.main import main

__all__ = ["main"]
