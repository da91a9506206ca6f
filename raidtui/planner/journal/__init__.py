"""Records of a run as lines of text, and a run as a fold over them. Uses nothing."""
