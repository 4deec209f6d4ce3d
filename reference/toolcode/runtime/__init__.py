"""What a runtime needs around a message, on top of the core (standard library only)."""
