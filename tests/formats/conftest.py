"""The project of users' tests, for formats that are asked after their import."""

from tests.front.conftest import campaign, shared_project, shared_services

__all__ = ["campaign", "shared_project", "shared_services"]
