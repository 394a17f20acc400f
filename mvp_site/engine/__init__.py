"""The central engine: routers, the context assembler, one answer from all domains."""
