"""What a terminal can do: tiers of glyphs and colours, styled text, themes, repaint, restoring it.

Every use of Textual's private parts is in here. Uses nothing else of the app.
"""
