"""A game master's shelf for tests: books of several formats, and where each thing stands in them.

The text of the books is the SRD's, taken from the installed package when they are built, but for
``hollowmere.md``, which was written for these tests.
"""
