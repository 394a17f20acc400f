"""Where sentences end."""

from __future__ import annotations

import pytest

from mvp_site.text.sentences import sentences

pytestmark = pytest.mark.serving


@pytest.mark.parametrize("parts", [
    [], ["One"], ["It rains. ", "He waits!  ", "\u201cWho?\u201d ", "Nobody"], ["Dr. Vane and Mrs. Orr wait. ", "Prof. J. Pell sleeps."], ["It was I. ", "He left. "],
    ["\u201cWho goes?\u201d asks the guard at 3 ft. away. ", "You stop\u2026 ", "Then run."], ["A list:\n\n", "- One\n", "- Two\n"], ["It was long\nago. ", "1d6 rats."],
    ["\u9418\u304c\u9cf4\u308b\u3002", "\u300c\u8ab0\uff1f\u300d", "\u9727\u3002"], ["**Stop.** ", "Go."], ["Pay 3.5 gp at www.example.org. ", "Go"],
])
def test_sentences_are_parted(parts: list[str]) -> None:
    assert sentences("".join(parts)) == parts
