"""Where passages are kept and searched: one protocol, an adapter an engine."""
