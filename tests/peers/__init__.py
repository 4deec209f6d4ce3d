"""Other people's parsers: installing them, and the host they run in."""
