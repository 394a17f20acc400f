"""Language models behind one protocol: OpenAI, Anthropic, and a scripted double."""
