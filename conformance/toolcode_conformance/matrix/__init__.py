"""Every parser that is set up, run against the corpus, and the reports made of what came.

`store` reads and writes the committed results, `runs` makes them, `tally` counts; `markdown`,
`junit`, `html` and `findings` are pure functions of the results and the corpus, so that every
report can be made again without running anything.
"""
