"""raidtui designs Linux md arrays to the byte and hands over the commands that make them."""

__version__ = "0.1.0"
