"""The options of all verbs and the reading of their values. Loaded by every start, so it imports little."""
