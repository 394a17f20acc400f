"""Making encoders: export to ONNX and adaptation to a game. Nothing that serves imports it."""
