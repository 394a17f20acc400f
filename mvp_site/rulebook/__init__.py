"""The rulebook: its sections, their categories, and the intentions it is asked with."""
