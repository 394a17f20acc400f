"""Turns: a player's words in, an answer that keeps the contract out, or an account of why not."""
