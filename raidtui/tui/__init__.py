"""Terminal user interface. No other package imports Textual."""
