"""Random sessions of the real program on a pseudo-terminal: whatever is typed, it neither crashes nor stops to answer.

`acts` draws a session from a seed, `session` plays one and judges it, `shrink` makes a short one of one that fails.
`python -m tests.monkey --seed N --sessions N` plays sessions and prints what fails, as a call that plays it again.
"""
