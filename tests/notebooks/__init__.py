"""Tests of the tables and of the notebooks made of them."""
