"""The central engine: routers, the context assembler, one answer from all domains."""

from .local_router import LocalRouter

__all__ = ["LocalRouter"]
