"""An operation is written once: it then has a command, a route, and its place in the OpenAPI document."""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Annotated, Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from pydantic import Field

from mvp_site import Settings
from mvp_site.cli.commands import add
from mvp_site.entities.index import EntityIndex
from mvp_site.errors import MissingIndexError
from mvp_site.operations.all import OPERATIONS
from mvp_site.operations.operation import Operation
from mvp_site.operations.requests import OperationRequest, Whole, fields
from mvp_site.operations.schemas import components
from mvp_site.operations.services import Services
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.web import create_app
from mvp_site.web.openapi import document

TOKEN = "a token of the DM's own"


@dataclass(frozen=True, slots=True)
class GreetRequest(OperationRequest):
    """Whom to greet."""

    name: Annotated[str, Field(min_length=1, max_length=20, description="Who is greeted.")]
    times: Annotated[Whole, Field(ge=1, le=3)] = 1
    """How often."""
    also: Annotated[tuple[str, ...], Field(max_length=2, description="Who else is.")] = ()
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Greeting:
    """What is said."""

    said: str
    times: int


def greet(services: Services, asked: GreetRequest, entitled: bool) -> Greeting:
    return Greeting(f"Hail {' and '.join((asked.name, *asked.also))}{'!' if entitled else '.'}", asked.times)


TOY = Operation(
    name="toy.greet", about="Greet somebody.", request=GreetRequest, response=Greeting, run=greet,
    needs=lambda asked: ["`secret`"] if asked.secret else [],
)
EVERY = (*OPERATIONS, TOY)


def run(*args: str) -> Any:
    group = click.Group("mvp-site")
    add(group, TOY)
    return CliRunner().invoke(group, ["greet", *args])


def test_an_operation_has_a_command() -> None:
    said = run("--help").stdout
    for text in ("Greet somebody.", "--name", "Who is greeted.  [required]", "--times N", "[default: 1; 1<=x<=3]", "--also", "again for several", "--secret", "--json"):
        assert text in said
    assert json.loads(run("--name", "Ada", "--times", "2", "--also", "Bo\0b", "--json").stdout) == {"said": "Hail Ada and Bo\ufffdb!", "times": 2}
    assert run("--name", "Ada", "--times", "4").exit_code == run().exit_code == 2


def test_an_operation_has_a_route() -> None:
    client = create_app(Settings(mvp_site_dm_token=TOKEN), operations=EVERY, assemblers={}).test_client()
    path = "/api/toy/greet"
    assert client.post(path, json={"name": "Ada", "times": 2.0}).json == {"said": "Hail Ada.", "times": 2}
    dm = {"Authorization": f"Bearer {TOKEN}"}
    assert client.post(path, json={"name": "Ada", "secret": True}, headers=dm).json["said"] == "Hail Ada!"
    assert client.post(path, json={"name": "Ada", "secret": True}).json["error"] == {
        "kind": "token_required", "message": "`secret` needs the DM token: send it as 'Authorization: Bearer …', or sign in at /sign-in",
    }
    for body, says in (({}, "`name` is missing"), ({"name": ""}, "`name` has 0 characters"), ({"name": "Ada", "times": 9}, "`times` is 9; it must be at most 3"), ({"name": "Ada", "nme": 1}, "unknown field 'nme'; the fields are also, name, secret, times")):
        response = client.post(path, json=body)
        assert (response.status_code, response.json["error"]["kind"]) == (400, "invalid_request")
        assert says in response.json["error"]["message"]


def test_an_operation_is_in_the_document() -> None:
    found = document(EVERY, token=True)
    one = found["paths"]["/api/toy/greet"]["post"]
    assert (one["operationId"], one["summary"]) == ("toy_greet", "Greet somebody.")
    schema = found["components"]["schemas"]["GreetRequest"]
    assert (schema["required"], schema["additionalProperties"]) == (["name"], False)
    assert schema["properties"]["times"] == {"type": "integer", "minimum": 1, "maximum": 3, "default": 1, "description": "How often."}
    assert found["components"]["schemas"]["Greeting"]["required"] == ["said", "times"]


@pytest.mark.parametrize("one", OPERATIONS, ids=lambda one: one.name)
def test_an_operation_says_what_it_needs_to(one: Operation[Any]) -> None:
    assert one.about.endswith(".")
    assert one.surfaces <= {"api", "cli", "mcp"}
    asked = fields(one.request)
    for name, schema in asked.items():
        assert schema.get("description"), name
    # A command's defaults are the request's own.
    for field in dataclass_fields(one.request):
        assert (field.default is MISSING and field.default_factory is MISSING) is asked[field.name.rstrip("_")]["required"]


def test_every_schema_is_one() -> None:
    schemas, named = components([one.request for one in OPERATIONS], [one.response for one in OPERATIONS])
    Draft202012Validator.check_schema({"$defs": {**named, **{str(one): schema for one, schema in schemas.items()}}})


@pytest.mark.parametrize(("facade", "part"), [(Rulebook, "rulebook"), (EntityIndex, "entities")])
def test_what_could_not_be_opened_is_tried_again_and_then_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facade: Any, part: str) -> None:
    services = Services(Settings(mvp_site_data_dir=tmp_path))
    with pytest.raises(MissingIndexError):
        getattr(services, part)()
    opened: list[Settings] = []
    monkeypatch.setattr(facade, "open", lambda settings: opened.append(settings) or facade)
    assert getattr(services, part)() is getattr(services, part)() is facade
    assert [settings.mvp_site_data_dir for settings in opened] == [tmp_path]
