"""The public surface, frozen: its names, its signatures, its errors, and what importing it costs."""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
from operator import attrgetter

import pytest

import mvp_site
from mvp_site import errors

pytestmark = pytest.mark.serving

NAMES = [
    "Answer", "AssembledTurn", "CentralEngine", "DroppedChunk", "EntityIndex", "IndexManifest", "Library", "Message", "PromptAssembler", "PromptSegment",
    "RankedSection", "RetrievedChunk", "Rulebook", "RulebookQuery", "RulebookResponse", "SessionNotes", "Settings", "TurnHandler", "TurnRequest", "TurnResult",
    "build_entities", "build_prompt_index", "build_rulebook", "errors",
]
HEAVY = ["torch", "sentence_transformers", "transformers", "faiss", "onnxruntime", "tokenizers", "numpy", "bm25s", "click", "yaml", "onnx", "markdown_it"]
SIGNATURES = """
build_prompt_index(settings, version)
PromptAssembler.open(settings)
PromptAssembler.assemble(self, text, mode, audience, history, state)
Rulebook.open(settings)
Rulebook.from_markdown(text)
Rulebook.search(self, query, intention, entities, context_hints, categories, limit)
Rulebook.query(self, intention, entities, context_hints, user_query, categories, max_tokens, continuation)
EntityIndex.open(settings)
EntityIndex.search_entities(self, entity_type, query, filters, limit, offset, bind_stated)
EntityIndex.find_similar_entities(self, entity_type, reference_slug, limit)
build_entities(settings, folders)
Library.open(settings)
Library.scan(self, path)
Library.ask(self, query, limit, sources, audience, types)
Library.extract(self, source_id, title, type_, replace)
CentralEngine.open(settings)
CentralEngine.process_query(self, user_query, character_name, campaign, audience)
CentralEngine.answer(self, user_query, character_name, campaign, audience)
SessionNotes.open(settings)
"""
FIELDS = {
    "AssembledTurn": "prompt messages chunks dropped retrieval_sparse sparse_reason telemetry",
    "RetrievedChunk": "id text file section domain mode tokens score lexical_score dense_score", "Message": "role content", "DroppedChunk": "id reason",
}


def test_the_names() -> None:
    assert sorted(mvp_site.__all__) == NAMES
    assert set(NAMES) <= set(dir(mvp_site))
    assert all(getattr(mvp_site, name) is not None for name in NAMES)


def test_another_name_is_not() -> None:
    with pytest.raises(AttributeError, match="module 'mvp_site' has no attribute 'Assembler'"):
        _ = mvp_site.Assembler


@pytest.mark.parametrize("signature", SIGNATURES.split("\n")[1:-1])
def test_signatures_begin_as_promised(signature: str) -> None:
    function, _, parameters = signature.removesuffix(")").partition("(")
    found = list(inspect.signature(attrgetter(function)(mvp_site)).parameters)
    assert found[: parameters.count(",") + 1] == parameters.split(", ")


@pytest.mark.parametrize("name", FIELDS)
def test_values_are_frozen_and_have_their_fields(name: str) -> None:
    value, names = getattr(mvp_site, name), FIELDS[name].split()
    assert value.__dataclass_params__.frozen
    assert "__slots__" in vars(value)
    assert [field.name for field in dataclasses.fields(value)][: len(names)] == names


@pytest.mark.parametrize("names", ["", "PromptAssembler", "build_prompt_index"])
def test_the_package_brings_nothing_heavy_and_no_name_torch(names: str) -> None:
    program = (
        f"import sys, mvp_site; mvp_site.Settings(); mvp_site.Message; {names and f'mvp_site.{names}'}\n"
        f"print([name for name in {HEAVY[:1] if names else HEAVY!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


CLASSES = {name: value for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}

BUILTINS: dict[type[Exception], str] = {
    ValueError: "SettingsError InvalidRequestError InvalidTurnError FrontMatterError LibraryError RulebookError RulebookQueryError EntityTypeError "
                "EntityDataError FilterError DiceError StateUpdateError ModelRequestError SessionsError",
    LookupError: "UnknownModeError UnknownSectionError UnknownVersionError UnknownSourceError UnknownIntentionError UnknownEntityError UnknownCharacterError "
                 "UnknownCampaignError UnknownTurnError UnknownRoutingError",
    PermissionError: "NotEntitledError", FileNotFoundError: "MissingIndexError",
}
"""Which errors are caught as those of Python too; of our own, the docstring says which is below which."""


def test_which_are_errors_of_python_too_and_what_they_print() -> None:
    found = {kind: {name for name, value in CLASSES.items() if kind in value.__bases__} for kind in BUILTINS}
    assert found == {kind: set(names.split()) for kind, names in BUILTINS.items()}
    assert all(value.__doc__ for value in CLASSES.values())
    # FileNotFoundError and LookupError print one argument in their own ways.
    assert {str(value("the message")) for value in CLASSES.values()} == {"the message"}


def test_the_docstring_draws_the_tree() -> None:
    drawn: dict[str, str] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"    ([│ ├└─]*)(\w+Error)", line):
            above[len(match[1]) // 4 :] = [match[2]]
            drawn[match[2]] = above[-2] if len(above) > 1 else "Exception"
    assert drawn == {name: value.__bases__[0].__name__ for name, value in CLASSES.items()}
