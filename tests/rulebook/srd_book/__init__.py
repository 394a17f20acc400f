"""Tests of the default rulebook."""
