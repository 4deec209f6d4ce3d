"""Tests of the matrix: runs, results and reports."""
