"""Predictions: Design + disks -> Prediction, assessment, purchases. No search, no commands. Uses the models below."""
