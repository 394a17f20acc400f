"""The prompt archive: versions, chunks, tags, the index build and what a turn retrieves of it."""
