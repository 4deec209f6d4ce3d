"""Engines that hold several parsers of one kind: how each kind is driven (see `peer_host`)."""
