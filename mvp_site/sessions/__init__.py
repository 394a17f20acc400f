"""Characters and session notes: what a campaign remembers, read, kept and searched (design 5)."""
