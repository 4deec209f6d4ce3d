"""Faulty parsers, each with one mistake that real code makes, to see what the corpus catches."""
