"""Tests of the conformance harness, against fakes that go wrong on purpose."""
