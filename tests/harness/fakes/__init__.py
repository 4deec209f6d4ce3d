"""Fake implementations, started as scripts."""
