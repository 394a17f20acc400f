"""One module a format; each gives the :class:`~mvp_site.library.types.Text` of a file."""
