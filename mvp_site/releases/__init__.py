"""Releases: bundles named by their content, published whole and swapped while serving."""
