"""One module per external program: command lines and parsers of their output, as pure functions. Starts nothing."""
