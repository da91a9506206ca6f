"""Terminal support: tiers of glyphs and colours, styled text, themes, order of keys, restoring modes.

Ways around faults of Textual are in this package; all of them are public. It imports no other package of `tui`.
"""
