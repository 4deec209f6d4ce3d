"""The leak scan over large logs: one frame-to-frame function, two engines (LEAK).

Needs the extra `scale` (pandas, pyarrow; Dask for the engine of that name).
"""
