"""Adapters to frameworks that others build with: LangChain, Haystack, Flask, and ASGI."""
