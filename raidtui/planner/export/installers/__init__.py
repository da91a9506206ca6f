"""A plan for installers of systems: pure renderers, one a format, and what each of them loses. Uses compile and text.

A format is a module with `native(view)` and `adopted(view)`; `formats` has the facts about all of them, `render` the
one function that the verb calls.
"""
