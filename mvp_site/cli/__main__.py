"""``python -m mvp_site.cli``."""

from .app import main

main()
