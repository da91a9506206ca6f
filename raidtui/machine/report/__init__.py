"""Gathers what a report needs from stored runs and benchmarks, and writes its files."""
