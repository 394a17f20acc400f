from __future__ import annotations

from requirements_table import page

from ..conftest import REPOSITORY


def test_the_table_of_requirements_is_that_of_the_marks() -> None:
    """Where it is not, `scripts/requirements_table.py` writes it."""
    assert (REPOSITORY / "docs" / "requirements.md").read_text(encoding="utf-8") == page(REPOSITORY)
