"""One file a program: argv out, text in. Pure; versions and man pages are named where a line depends on them."""
