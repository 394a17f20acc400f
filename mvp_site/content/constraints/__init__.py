"""Constraints on typed fields that a query states in words."""
