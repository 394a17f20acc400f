"""Data alone: what people say at the table, by topic. ``retrieval.utterances`` reads it."""
