"""Sheets for tests: the shipped samples, the export made for tests, and any that may be."""

from importlib.resources import files
from pathlib import Path

from hypothesis import reject
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from mvp_site.sessions.characters.character import Character
from mvp_site.sessions.characters.reading import read_sheet

SAMPLES = ("ilse_varn", "brannoc_ashdown")
EXPORT = (Path(__file__).parents[2] / "cases" / "books" / "ddb_full" / "vessa.json").read_text("utf-8")
_SCHEMA = TypeAdapter(Character).json_schema()
_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


def sample(name):
    """A shipped sample."""
    file = files("mvp_site.sessions").joinpath("samples", f"{name}.yaml")
    return read_sheet(file.read_text("utf-8"), file.name)[0]


def _of(schema):
    if "$ref" in schema:
        schema = _SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return st.one_of([_of(one) for one in schema["anyOf"] if one.get("type") != "null"])
    if schema.get("type") == "object":
        needed = schema.get("required", ())
        keys = {key: _of(one) for key, one in schema["properties"].items()}
        return st.fixed_dictionaries(
            {key: keys.pop(key) for key in needed}, optional=keys)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    text = _TEXT.map(lambda text: f"n{text}") if schema.get("minLength") else _TEXT
    bounds = schema.get("minimum"), schema.get("maximum")
    return {"array": lambda: st.lists(_of(schema["items"]), max_size=2), "string": lambda: text,
            "integer": lambda: st.integers(*bounds), "number": lambda: st.floats(*bounds),
            "boolean": st.booleans}[schema["type"]]()


def characters():
    """Any sheet that the schema allows, but for classes without a name, or whose name says a level in two ways."""
    def sheet(values):
        try:
            character = TypeAdapter(Character).validate_python(values)
        except ValidationError:
            reject()
        if not all(held.name for held in character.base.classes):
            reject()
        return character

    return _of(_SCHEMA).map(sheet)
