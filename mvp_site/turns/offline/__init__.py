"""The offline narrator: a deterministic double of a model, for play without a key."""
