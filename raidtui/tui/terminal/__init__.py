"""Terminal support: tiers of glyphs and colours, styled text, themes, partial repaint, restoring modes.

All uses of Textual's private API are in this package. It imports no other package of `tui`.
"""
