"""Language models behind one protocol: those of all providers, and a scripted double."""
