"""One module a verb, loaded by `main` when that verb is called. Uses the modules of `cli`; other verbs only as
pyproject.toml allows.
"""
