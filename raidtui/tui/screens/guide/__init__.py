"""The guide: four questions that lead to a first design."""
