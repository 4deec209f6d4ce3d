"""Fuzzing of the reference, and of anyone's parser against it."""
