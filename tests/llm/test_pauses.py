"""How long a response asks to wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from math import inf

import pytest

from mvp_site.llm.pauses import asked_pause


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None), ({"retry-after": "7"}, 7.0), ({"retry-after": "0.5"}, 0.5), ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25), ({"retry-after": "inf"}, inf), ({"retry-after": "nan"}, inf),
        ({"retry-after": "1e999"}, inf), ({"retry-after": "-3"}, -3.0), ({"retry-after": "soon"}, 0.0),
        ({"retry-after": ""}, 0.0),
    ],
)
def test_asked_pause(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_pause(headers) == seconds


@pytest.mark.parametrize("zone", ["GMT", "-0000"])
def test_dates(zone: str) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1)).replace("+0000", zone)
    assert asked_pause({"retry-after": date}) == pytest.approx(3_600, abs=30)
