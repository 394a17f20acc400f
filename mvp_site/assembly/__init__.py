"""Assembly: from a turn to a prompt."""
