"""The leak scan over large logs; needs the extra `scale`."""
