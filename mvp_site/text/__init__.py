"""Reading text: strict JSON, YAML, front matter, Markdown, tokens, names and spelling."""
