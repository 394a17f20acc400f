"""Arrays as bytes: what goes in comes out, and nothing is ever unpickled."""

from __future__ import annotations

import io

import numpy as np
import pytest

from mvp_site.retrieval import arrays

pytestmark = pytest.mark.serving


def test_an_object_array_is_neither_written_nor_read() -> None:
    pickled = io.BytesIO()
    np.save(pickled, np.asarray([{}]), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle"):
        arrays.from_bytes(pickled.getvalue())
    with pytest.raises(ValueError, match="allow_pickle"):
        arrays.to_bytes(np.asarray([{}]))
    for content in (b"", b"not an array", arrays.to_bytes(np.zeros(9))[:-1]):
        with pytest.raises((ValueError, EOFError)):
            arrays.from_bytes(content)
