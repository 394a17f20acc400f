"""Small PDFs that are read at once, and whose page takes gigabytes or minutes to draw."""

from __future__ import annotations

import zlib
from typing import Final

_BLOCK: Final = 30_000


def swelling(side: int = 12_000) -> bytes:
    """Five kilobytes that take 1.6 GiB: a third filter needs whole what two others have swelled."""
    return _page(side, b"/RunLengthDecode", _zeros(6 * side * side), times=1)


def slow(times: int = 60, side: int = 20_000) -> bytes:
    """Nine kilobytes that take a second for each time that 1.2 GB of image are decoded."""
    return _page(side, b"", _zeros(3 * side * side), times=times)


def _zeros(count: int) -> bytes:
    """So many bytes of zero, deflated twice; a multiple of :data:`_BLOCK`.

    Blocks that know nothing of each other are all alike, so one is made and repeated.
    """
    deflate = zlib.compressobj(9)
    first, next_ = (
        deflate.compress(bytes(_BLOCK)) + deflate.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    )
    blocks = first + next_ * (count // _BLOCK - 1) + deflate.flush()[:-4]
    adler = count % 65521 << 16 | 1  # the checksum that ends the stream (RFC 1950)
    return zlib.compress(blocks + adler.to_bytes(4, "big"), 9)


def _page(side: int, last: bytes, data: bytes, times: int) -> bytes:
    """A document of one page: a sentence, and an image askew, each time in another size."""
    shown = [b"q %d 99 -99 %d 100 100 cm /I Do Q" % (width, width)
             for width in range(400, 400 + times)]
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        (b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
         b"/Resources<</Font<</F 5 0 R>>/XObject<</I 6 0 R>>>>>>"),
        _stream(b"", b"\n".join([b"BT /F 12 Tf 72 720 Td (A tower of glass.) Tj ET", *shown])),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        _stream(b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB"
                b"/BitsPerComponent 8/Filter[/FlateDecode/FlateDecode%s]"
                % (side, side, last), data),
    )
    content, places = b"%PDF-1.7\n", b""
    for number, one in enumerate(objects, 1):
        places += b"%010d 00000 n \n" % len(content)
        content += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    return content + (
        b"xref\n0 7\n0000000000 65535 f \n%strailer\n<</Size 7/Root 1 0 R>>\n"
        b"startxref\n%d\n%%%%EOF\n" % (places, len(content))
    )


def _stream(entries: bytes, data: bytes) -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(data), data)
