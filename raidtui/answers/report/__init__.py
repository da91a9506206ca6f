"""The report of a build and its benchmarks: parts, open points, verdict, document."""
