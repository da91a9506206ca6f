"""The report as a document and its renderings. Uses measurement and text."""
