"""Evaluation: needles, metrics, baselines and the reports made of them."""
