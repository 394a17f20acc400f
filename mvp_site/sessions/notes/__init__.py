"""Session notes: their template, and what people wrote, read and linked across sessions.

``template`` gives a form to fill in, ``read_notes`` reads whatever was written instead, and
``linked`` finds who and what the notes and sheets of one campaign name.
"""

from .linking import linked
from .reading import read_notes
from .template import template

__all__ = ["linked", "read_notes", "template"]
