"""Releases: built, published, opened and taken up again, by one mechanism for every part."""
