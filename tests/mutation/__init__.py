"""How strong is the corpus: does it notice when one place of the reference is changed?"""
