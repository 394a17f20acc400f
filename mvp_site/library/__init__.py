"""A library of the user's own books: read, indexed, asked, and taken apart (design 4)."""
