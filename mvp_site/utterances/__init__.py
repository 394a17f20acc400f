"""Data alone: what people say at the table, by topic, and short forms of names."""
