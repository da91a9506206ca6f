"""The risk model: loss of data, spares. Uses placement."""
