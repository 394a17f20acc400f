"""What books and data say of things: entity documents, constraints stated in words, stat blocks."""
