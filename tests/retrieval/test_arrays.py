"""Arrays as bytes: what goes in comes out, and nothing is ever unpickled."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mvp_site.retrieval import arrays

pytestmark = pytest.mark.serving


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.int32, np.uint8]), hnp.array_shapes(max_dims=2, min_side=0)
    )
)
def test_arrays_come_back(array: npt.NDArray[np.float32]) -> None:
    back = arrays.from_bytes(arrays.to_bytes(array))
    assert back.dtype == array.dtype
    assert np.array_equal(back, array, equal_nan=array.dtype.kind == "f")
    assert arrays.to_bytes(array) == arrays.to_bytes(np.asfortranarray(array))


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


