"""Tests of the reference's own contract, beside the corpus."""
