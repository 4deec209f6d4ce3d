"""Tests of the runtime around a message."""
