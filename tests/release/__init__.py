"""The release: sdist, wheel, Debian packages, one file for machines without a network; `python -m tests.release DIR`.

`source` copies what git tracks, `distributions` makes sdist and wheel of it, `wheelhouse` gets what raidtui needs at
run time as requirements.lock pins it, `debian` and `one_file` pack both. `manual` and `completions` make the man pages
and the completions of bash, zsh and fish from the parser; the wheel's `build_hook` takes them in. `clean_root` installs
all of it in fresh roots of Debian releases. Nothing here is needed at run time.
"""
