"""One file per program: the argv that goes in and the output that comes out, as pure functions."""
