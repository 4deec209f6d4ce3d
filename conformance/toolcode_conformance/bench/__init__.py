"""`make bench`: how fast the reference is, beside real parsers, and whether it stays linear.

Absolute times say more about the machine than about the code, so what is judged are ratios of
runs made in turn, and growth exponents.
"""
