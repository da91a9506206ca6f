"""The table of options: what each is called, how its text is read, its range, default and meaning, for all surfaces.

The command line, recipes, Design, the palette, man pages, completion and schemas are made of it. Loaded only where a
verb takes options: the parser of all verbs starts without it.
"""
