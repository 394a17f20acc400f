"""The default rulebook: the records of the SRD, written as one hierarchical Markdown text."""
