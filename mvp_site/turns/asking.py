"""The name under which the command line imports :class:`~mvp_site.turns.attempts.Stage`."""

from .attempts import Stage

__all__ = ["Stage"]
