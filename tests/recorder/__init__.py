"""Tests of the recorder, with a scripted model instead of the weights."""
