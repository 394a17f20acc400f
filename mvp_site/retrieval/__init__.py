"""The hybrid retrieval core that every part of the product looks things up with."""
