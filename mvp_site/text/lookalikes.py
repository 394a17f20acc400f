"""Look-alikes: letters and signs as the ASCII that a careless eye takes them for. Pure.

:func:`plain` gives a text as a reader takes it, so that odd letters hide no word: full-width,
mathematical and enclosed letters become plain ones, accents and invisible characters go, and
letters of other scripts that look Latin are read as Latin. Case stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Final

# Cyrillic, Greek, Armenian; then Latin with strokes, without dots, and small
# capitals; then Cherokee, Coptic and Lisu
_LOOK_ALIKES: Final = (
    ("\u0410\u0412\u0415\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0423",
     "ABEIJKMHOPCTXSY"),
    ("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0475",
     "aeopcyxijshdqwv"),
    ("\u043f\u0433\u0442\u043c\u043a\u0432\u04cf\u04c0", "nrtmkbll"),
    ("\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u037f",
     "ABEZHIKMNOPTYXJ"),
    ("\u03b1\u03bf\u03bd\u03c1\u03b9\u03c5\u03c4\u03ba\u03b7\u03f2\u03f3\u03c9", "aovpiutkncjw"),
    ("\u0585\u0578\u057d\u0570\u0581", "onuhg"),
    ("\u0131\u0269\u0261\u0142\u00f8\u0111\u0127\u0167\u0192\u0237", "iiglodhtfj"),
    ("\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d",
     "ABCDEFGHIJKLM"),
    ("\u0274\u1d0f\u1d18\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22", "NOPRSTUVWYZ"),
    ("ᎪᏟᎠᎬᏀᎻᎷᏢᎡᏚᎢᏙᎩ", "ACDEGHMPRSTVY"),
    ("ⲞⲢⲤⲦⲬⲨⲘⲚⲎ", "OPCTXYMNH"), ("ꓮꓚꓓꓰꓖꓧꓟꓠꓳꓑꓣꓢꓔꓴꓦꓫꓬ", "ACDEGHMNOPRSTUVXY"),
    ("\u2018\u2019\u02bc\u02b9", "'" * 4),
    ("\u2212\u2800", "- "),
)
_ALPHABETS: Final = (0x1F150, 0x1F170, 0x1F1E6)  # in dark circles, in dark squares, as flags
READ_AS: Final[dict[int, str]] = {
    ord(odd): read for odds, letters in _LOOK_ALIKES
    for odd, read in zip(odds, letters, strict=True)
} | {
    first + index: chr(ord("A") + index) for first in _ALPHABETS for index in range(26)
}
"""Letters of other alphabets as the Latin ones that they look like."""
_SIGNS: Final = {
    char: read for read, chars in {
        "<": "<‹〈⟨❮❰❬⧼⦑≺˂ᐸᚲ𝈶", ">": ">›〉⟩❯❱❭⧽⦒≻˃ᐳ𝈷", "[": "[⟦⁅【〔❲", "]": "]⟧⁆】〕❳",
        "/": "/\\⁄∕╱⧸⟋", "|": "|¦ǀ∣│┃❘", "-": "-‐–—−", "ss": "ßẞ",
    }.items() for char in chars
}
_PASSES: Final = {chr(code): read for code, read in READ_AS.items()} | _SIGNS
_UNSEEN: Final = frozenset({"Mn", "Me", "Cf"})
"""Marks, and what is not drawn: categories of characters that hide nothing but a word."""
_IGNORABLE: Final = range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000)
_BLANK: Final = frozenset("\u115f\u1160\u2065\u3164\uffa0") | {*map(chr, chain(*_IGNORABLE))}
_APART: Final = "\ue000"
_SCANNED: Final = (  # without Han and Hangul, and scripts that look like nothing here
    range(0x3400), range(0xA000, 0xAC00), range(0xF900, 0x10000), range(0x1BC00, 0x1FC00),
    _IGNORABLE[1],
)
# Letters by name that show nothing (characters of category Cf and Mn go anyway), and signs of whole
# Arabic sentences, which hide no word and would make a text eighteen times as long.
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0\ufdfa\ufdfb")
_GONE: Final = frozenset({"Cf", "Mn", "Me", "Cs"})
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_BLANKS: Final = re.compile(r"[^\S\n]{2,}|[^\S\n ]")  # one blank alone is left as it is
_BREAKS: Final = re.compile(r"(?: ?\n ?)+")


def plain(text: str) -> str:
    """``text`` in plain letters, each run of white space as one blank or one line break."""
    if not text.isascii():
        # Marks go first: a long run of them would be sorted in quadratic time.
        bare = _shown(text).translate(READ_AS)
        text = _shown(unicodedata.normalize("NFKD", bare).translate(READ_AS))
    return _BREAKS.sub("\n", _BLANKS.sub(" ", _CONTROLS.sub("", text)))


def _shown(text: str) -> str:
    """``text`` without what shows nothing, its dashes as hyphens."""
    return _BEYOND_ASCII.sub(lambda match: "".join(
        "-" if unicodedata.category(char) == "Pd" else char for char in match[0]
        if char not in _FILLERS and unicodedata.category(char) not in _GONE
    ), text)


@cache
def folding() -> Mapping[int, str]:
    """What each character passes for, for ``str.translate``; '' for what is not seen.

    Left out is what stands for itself or passes for nothing in ASCII. One bracket becomes one, and
    nothing else becomes any: the brackets of a text and of its folded form can be counted off.
    """
    chars = [chr(code) for codes in _SCANNED for code in codes]
    forms = unicodedata.normalize("NFKD", _APART.join(chars)).split(_APART)
    folded = {}
    for char, form in zip(chars, forms, strict=True):
        if char in _BLANK or unicodedata.category(char) in _UNSEEN:
            read = ""
        elif char in _PASSES or form == char:
            read = _PASSES.get(char, char)
        else:
            read = "".join([
                _PASSES.get(part, part) for part in form
                if unicodedata.category(part) not in _UNSEEN
            ])
        if read.isascii() and read != char and (len(read) < 2 or not {*"<["} & {*read}):
            folded[ord(char)] = read
    return folded
