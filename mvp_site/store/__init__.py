"""Campaigns in SQL: state, history and the manifest of every turn."""
