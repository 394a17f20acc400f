"""Entities: spells, monsters, gear and more, found by meaning, by filters, and by likeness."""
