"""Answers as plain text for people. Uses values of the packages below it."""
