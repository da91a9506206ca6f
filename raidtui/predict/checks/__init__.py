"""What speaks against a design: errors, warnings and notes, each with the way out."""
