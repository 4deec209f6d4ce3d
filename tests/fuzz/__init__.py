"""The fuzzing kit without its engine."""
