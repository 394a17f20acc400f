"""Characters' sheets: read from own files or a D&D Beyond export, written, cut into pieces."""
