"""What a user can ask, each thing once: its request, its response, and what answers it.

Command line, API, its OpenAPI document and the pages' forms are made from these.
"""
