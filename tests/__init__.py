"""Tests of the reference, the harness, the corpus and the notebooks."""
