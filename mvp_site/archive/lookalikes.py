"""How text reads to an eye that is not careful: look-alikes as the ASCII they pass for. Pure.

Compatibility forms and accents (Unicode's NFKD) come from ``unicodedata``. Letters of other
alphabets are those of Unicode's confusables (UTS #39) that pass for a letter of the prompt's own
elements, as text or as small capitals.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Final

LOOKALIKES: Final = {
    "<": "<‹〈⟨❮❰❬⧼⦑≺˂ᐸᚲ𝈶", ">": ">›〉⟩❯❱❭⧽⦒≻˃ᐳ𝈷", "[": "[⟦⁅【〔❲", "]": "]⟧⁆】〕❳",
    "/": "/\\⁄∕╱⧸⟋", "|": "|¦ǀ∣│┃❘", "_": "_", "-": "-‐–—−",
    "a": "ɑᴀΑαАаᎪꓮ", "c": "ϲϹᴄСсᏟⲤⲥꓚꮯ", "d": "ᴅԁᎠᏧꓒꓓ", "e": "ᴇΕεЕеЄєҽᎬꓰꬲ", "g": "ƍɡɢᶃԌցᏀᏳꓖ",
    "h": "ʜΗНнһհᎻᏂⲎꓧ", "i": "ıɩɪΙιІіӏᎥꙇꭵ", "m": "ᴍΜϺМмᎷⲘꓟ", "n": "ɴΝηПпոռⲚꓠ", "o": "ᴏᴑΟοσОоՕօჿⲞⲟꓳꬽ",
    "p": "ᴘΡρРрᏢⲢⲣꓑ", "r": "ʀƦᴦгᎡᏒⲅꓣꭇꭈꮁ", "s": "ꜱƽЅѕՏᏕᏚꓢꮪ", "ss": "ßẞ", "t": "ᴛΤτТтᎢⲦꓔ",
    "u": "ᴜʋμυՍսꓴꞟꭎꭒ", "v": "ᴠνѴѵᏙꓦꮩ", "x": "ΧχХхⲬꓫꞳ", "y": "ɣʏᶌỿΥγУуҮүყᎩᎽⲨꓬꭚ",
}
_PASSES: Final = {char: read for read, chars in LOOKALIKES.items() for char in chars}
_UNSEEN: Final = frozenset({"Mn", "Me", "Cf"})
"""Marks, and what is not drawn: categories of characters that hide nothing but a word."""
_IGNORABLE: Final = range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000)
_BLANK: Final = frozenset("\u115f\u1160\u2065\u2800\u3164\uffa0") | {*map(chr, chain(*_IGNORABLE))}
_SCANNED: Final = range(0x3400), range(0xA000, 0xAC00), range(0xF900, 0x20000), _IGNORABLE[1]


@cache
def folding() -> Mapping[int, str]:
    """What each character passes for, for ``str.translate``; '' for what is not seen.

    Left out is what stands for itself or passes for nothing in ASCII. One bracket becomes one, and
    nothing else becomes any: the brackets of a text and of its folded form can be counted off.
    """
    found = {}
    for code in chain(*_SCANNED):
        read = _read(chr(code))
        if read.isascii() and read != chr(code) and (len(read) < 2 or not {*"<["} & {*read}):
            found[code] = read
    return found


def _read(char: str) -> str:
    if char in _PASSES:
        return _PASSES[char]
    if char in _BLANK or unicodedata.category(char) in _UNSEEN:
        return ""
    if not unicodedata.decomposition(char):
        return char
    return "".join(
        _PASSES.get(part, part) for part in unicodedata.normalize("NFKD", char)
        if unicodedata.category(part) not in _UNSEEN
    )
