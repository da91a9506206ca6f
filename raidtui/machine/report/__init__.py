"""Collects a report's input from stored runs and benchmarks, and writes its files."""
