"""Session notes: their template, and what people wrote, read and linked across sessions."""
