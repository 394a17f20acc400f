"""``python -m mvp_site``."""

from .cli import main

main()
