"""One name for a leaf: the table of the state's leaves, what the archive shows of them, and drift."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mvp_site.archive.header_files import CONTRACT, FIRST_STATE, first_state
from mvp_site.archive.state_leaves import LeafTable, built_in_leaves, read_leaves
from mvp_site.text.strict_json import JsonError
from mvp_site.turns.checking import Facts, check_answer
from mvp_site.turns.contracts import BUILT_IN, contract_of
from mvp_site.turns.draft import session_header
from mvp_site.turns.offline import seen
from mvp_site.turns.rules.context import Context
from mvp_site.turns.rules.updates import entity_ids, state_name, state_range
from mvp_site.turns.state import RECORDS, leaf_problems, update_problems
from mvp_site.turns.types import Hint
from mvp_site.types import BRANCHES

from ..conftest import REPOSITORY
from .answers import MISSING, SNEAK, Turn

ARCHIVE: Final = REPOSITORY / "prompt_archive"
FIRST: Final[dict[str, Any]] = json.loads((ARCHIVE / "first_state.json").read_text("utf-8"))
TABLE: Final = built_in_leaves()


VERSIONS: Final = ("dec_2025", "mar_2026")


def beside(version: str) -> dict[str, bytes]:
    """What stands beside a version's header: its own, else the archive's."""
    return {name: path.read_bytes() for name in (FIRST_STATE, CONTRACT) for path in (ARCHIVE / name, ARCHIVE / version / name) if path.is_file()}


TABLES: Final = {version: contract_of(beside(version)).leaves for version in VERSIONS}


def problems(state: Any, updates: Any, table: LeafTable = TABLE) -> list[tuple[str, str]]:
    return [(problem.kind, problem.path) for problem in leaf_problems(state, updates, table)]


def shown_updates() -> Iterator[Any]:
    """Every state update that the archive shows, alone or in an answer, with its version."""
    for file in sorted(ARCHIVE.glob("*/*.md")):
        for block in re.finditer(r"```json\n(.*?)```|`(\{[^`]*\})`", text := file.read_text("utf-8"), re.DOTALL):
            try:
                value = json.loads(block[1] or block[2])
            except ValueError:
                assert not block[1], "a fenced example is JSON"
                continue
            updates = value.get("state_updates", value)
            if updates.keys() <= {*BRANCHES}:
                yield pytest.param(file.parent.name, updates, id=f"{file.parent.name}/{file.name}:{text.count(chr(10), 0, block.start()) + 1}")


SHOWN: Final = list(shown_updates())


@pytest.mark.parametrize("version", VERSIONS)
def test_the_first_state_goes_by_the_table(version: str) -> None:
    first = first_state(beside(version)) or {}
    assert problems({}, first, TABLES[version]) == []
    context = Context(Facts("story", "", {}), {"state_updates": first}, (), TABLES[version])
    assert [*state_name(context), *state_range(context)] == []
    assert "Gold 23gp" in session_header(first)
    assert seen(first).endswith("Ways out: north to Saltgate, the harbour stairs, south to the drovers' road.")


def fields_of(version: str, section: str) -> list[list[str]]:
    """The rows of the table that a version's archive has of a kind of record."""
    schema = (ARCHIVE / version / "entity_schema.md").read_text("utf-8").partition(f"## {section} record\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in schema.splitlines() if line.startswith("| `")]


def required(version: str, section: str) -> set[str]:
    return {name for names, _, third, *_ in fields_of(version, section) if third == "yes" for name in re.findall(r"`(\w+)`", names)}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("section", "branch"), [("Npc", "npc_data"), ("Location", "location_data"), ("Item", "item_data"), ("Quest", "quest_data")])
def test_the_first_state_has_the_records_that_the_archive_teaches(version: str, section: str, branch: str) -> None:
    """Every required field, and of maps those of their entries."""
    state = first_state(beside(version)) or {}
    rows = fields_of(version, section)
    for record in state[branch].values():
        assert required(version, section) <= record.keys()
        for names, kind, *rest in rows:
            for entry in record.get(names.strip("`"), {}).values() if kind.startswith("map key ->") else ():
                shape = re.search(r"\{(.*)\}", " ".join([kind, *rest[-1:]]))
                assert shape or kind != "map key -> loc id" or entry in state["location_data"]
                if shape and isinstance(entry, dict):
                    assert entry.keys() == {*re.findall(r"\w+", re.sub(r": [^,}]+", "", shape[1]))}
            assert not kind.startswith("map key -> exit") or {exit_["to"] for exit_ in record["exits"].values()} <= state["location_data"].keys()


@pytest.mark.parametrize(("version", "updates"), SHOWN)
def test_an_example_goes_by_the_table_and_the_first_state(version: str, updates: Any) -> None:
    first = first_state(beside(version)) or {}
    had = {branch: {key: {} for key, record in updates.get(branch, {}).items() if "name" not in record} for branch in RECORDS}  # else it is new
    context = Context(Facts("story", "", had), {"state_updates": updates}, (), TABLES[version])
    assert problems({}, updates, TABLES[version]) == []
    assert [*state_name(context), *state_range(context)] == []
    here = {branch: first[branch] for branch in ("player_character_data", "combat_state", "world_data")}
    same_kinds = {branch: part for branch, part in updates.items() if branch in here}
    assert [problem for problem in update_problems(here, same_kinds) if problem.kind == "state_type"] == []


def test_the_archive_shows_dozens_of_updates() -> None:
    assert len(SHOWN) > 60
    assert {leaf.path[0] for leaf in TABLE.leaves} == {*BRANCHES} - {"custom_campaign_state"}


PC, WARDEN = "player_character_data", "npc_data.npc_ford_warden_001"


@pytest.mark.parametrize(("place", "value", "leaf"), [
    (f"{PC}.hp", 3, f"{PC}.hp_current"), (f"{PC}.hpCurrent", 3, f"{PC}.hp_current"), (f"{PC}.HP", {"current": 3}, f"{PC}.hp_current"), (f"{PC}.gold", 3, f"{PC}.currency.gp"),
    (f"{PC}.currency.gold", 3, f"{PC}.currency.gp"), (f"{PC}.coins.gp", 3, f"{PC}.currency"), (f"{PC}.stats.str", 12, f"{PC}.abilities"), (f"{PC}.abilities.strength", 12, f"{PC}.abilities.str"),
    (f"{PC}.spell_slots.level_1.remaining", 1, f"{PC}.spell_slots.level_1.current"), (f"{PC}.hit_dice.size", "d10", f"{PC}.hit_dice.die"), (f"{WARDEN}.hp", 3, f"{WARDEN}.hp_current"),
    ("npc_data.npc_new_001.disposition", "calm", "npc_data.npc_new_001.attitude"), ("item_data.item_rope_001.qty", 1, "item_data.item_rope_001.quantity"), ("quest_data.quest_x_001.name", "x", "quest_data.quest_x_001.title"),
    ("location_data.loc_x_001.exits.north.destination", "loc_y_001", "location_data.loc_x_001.exits.north.to"), ("quest_data.quest_x_001.objectives.find_it.completed", True, "quest_data.quest_x_001.objectives.find_it.done"),
    ("world_data.location", "loc_x_001", "world_data.current_location_id"), ("world_data.current_time.hour", 3, "world_data.world_time"), ("combat_state.combatants.npc_x_001.hp", 3, "combat_state.combatants.npc_x_001.hp_current"),
])
def test_another_name_is_refused_and_the_leaf_named(place: str, value: Any, leaf: str) -> None:
    updates: Any = value
    for key in reversed(place.split(".")):
        updates = {key: updates}
    (problem,) = leaf_problems(FIRST, updates, TABLE)
    assert (problem.kind, problem.leaf) == ("state_name", leaf)
    assert problem.message.endswith(f"write {leaf}")
    assert leaf_problems({PC: {"courage": 3}}, updates, TABLE) == (), "another game's state has names of its own"


@pytest.mark.parametrize(("state", "updates", "kinds"), [
    ({PC: {"hp_current": 3, "gold": 3}}, {PC: {"gold": 4}}, []), ({PC: {"hp_current": 3, "gold": 3, "currency": {"gp": 3}}}, {PC: {"gold": 4}}, ["state_name"]),
    ({PC: {"hp_current": 3, "hp": 3}}, {PC: {"hp": "__DELETE__"}}, []), ({"item_data": {"item_a_001": {"qty": 2}}}, {"item_data": {"item_b_001": {"qty": 1}}}, []),
    (FIRST, {PC: {"languages": "Common"}}, ["state_type"]), (FIRST, {PC: {"inspiration": None}}, []), (FIRST, {"world_data": {"rumors": {}}}, []), ({}, {"world_data": {"weather": "rain"}}, ["state_type"]),
    (FIRST, {"quest_data": {"quest_missing_ferryman_001": {"objectives": {"tell_his_wife": "open"}}}}, ["state_type"]), ({"quest_data": {"quest_a_001": {"objectives": {"one": "open"}}}}, {"quest_data": {"quest_b_001": {"objectives": {"two": "open"}}}}, []),
    (FIRST, {"location_data": {"loc_saltgate_001": {"exits": {"east": "a lane"}}}}, ["state_type"]), ({"location_data": {"loc_a_001": {"exits": {"in": "the hall"}}}}, {"location_data": {"loc_b_001": {"exits": {"out": "the road"}}}}, []),
    (FIRST, {"custom_campaign_state": {"hp": 3, "gold": 4, "time": "dusk"}}, []), (FIRST, {PC: {"conditions": {"hp": "halved; rest; dawn"}}}, []),
])
def test_names_that_a_state_has_are_its_own(state: Any, updates: Any, kinds: list[str]) -> None:
    assert [kind for kind, _ in problems(state, updates)] == kinds


def test_new_leaves_are_accepted_with_a_warning() -> None:
    turn = SNEAK.having("state_updates/player_character_data/luck", 3).having("state_updates/world_data/tide", "ebb").having("state_updates/npc_data/npc_ford_warden_001/luck", 3)
    assert turn.check().violations == ()
    assert {hint.path for hint in turn.warned("state_name")} == {"state_updates.player_character_data.luck", "state_updates.world_data.tide"}


def test_a_new_record_has_what_every_version_requires() -> None:
    for section in ("npc", "location", "item"):
        in_all = set.intersection(*(required(version, section.title()) for version in VERSIONS))
        assert {leaf.path[-1] for leaf in TABLE.leaves if leaf.required and leaf.path[0] == f"{section}_data"} == in_all


MAP = {"name": "a map", "kind": "document", "quantity": 1, "holder_id": None, "location_id": "loc_saltgate_001"}


@pytest.mark.parametrize(("branch", "key", "record", "hint"), [
    ("item_data", "item_map_001", MAP, ""), ("item_data", "item_arrows_001", {"quantity": 19}, ""), ("item_data", "item_map_001", "__DELETE__", ""),
    ("item_data", "item_map_001", MAP | {"kind": MISSING}, "is a new record without kind"), ("item_data", "item_arrow_001", {"quantity": 19}, "is a new record without name, kind, holder_id"),
    ("item_data", "item_map_001", MAP | {"location_id": "loc_old_quay_001"}, "'loc_old_quay_001' is no place that the state has a record of"), ("item_data", "item_map_001", MAP | {"location_id": "the drovers' road"}, ""),
    ("npc_data", "npc_gate_guard_001", {"location_id": "loc_nowhere_001"}, "'loc_nowhere_001' is no place"), ("npc_data", "npc_gate_guard_001", {"location_id": "the moon"}, "'the moon' is no place"), ("npc_data", "npc_gate_guard_001", {"location_id": None}, ""),
])
def test_records_that_lack_something_or_are_nowhere_are_a_warning(branch: str, key: str, record: Any, hint: str) -> None:
    if isinstance(record, dict):
        record = {name: value for name, value in record.items() if value is not MISSING}
    context = Context(Facts("story", "", FIRST), {"state_updates": {branch: {key: record}}})
    hints = [*state_name(context), *entity_ids(context)]
    assert ([found.message.startswith(hint) for found in hints], {type(found) for found in hints}) == ([True] * bool(hint), {Hint} if hint else set())
    own = {"item_data": {"item_lamp_001": {"label": "lamp"}}, "npc_data": {"npc_gate_guard_001": {"where": "arch"}}}
    assert [*state_name(Context(Facts("story", "", own), context.answer))] == [], "another game's state has a schema of its own"


def test_a_version_adds_leaves_to_the_built_in_contract() -> None:
    own = {"answer": "built-in", "leaves": [{"below": ["world_data"], "leaves": {"tide": {"type": "string", "names": ["tides"]}, "salt": {"type": "integer", "least": 0, "most": 9}}}]}
    contract = contract_of({CONTRACT: json.dumps(own).encode()})
    assert (contract.rules, contract.digest) == (BUILT_IN.rules, "")

    def found(turn: Turn) -> list[tuple[str, str]]:
        checked = check_answer(turn.text, turn.facts, contract)
        return [(fault.rule, fault.path) for fault in (*checked.violations, *checked.warnings)]

    assert found(SNEAK.having("state_updates/world_data/tide", "ebb")) == []
    assert found(SNEAK.having("state_updates/world_data/tides", "ebb")) == [("state_name", "state_updates.world_data.tides")]
    assert found(SNEAK.having("state_updates/world_data/salt", -1)) == [("state_range", "state_updates.world_data.salt")]


@pytest.mark.parametrize(("raw", "message"), [
    ({"tide": "string"}, 'write {"below": ["world_data"]'), ([{"below": "world_data", "leaves": {}}], "write a list of paths that begin with a branch"),
    ([{"below": ["weather_data"], "leaves": {}}], "write a list of paths that begin with a branch"), ([{"below": ["world_data"], "leaves": {"tide": {"type": "text"}}}], "needs a type out of integer"),
    ([{"below": ["world_data"], "leaves": {"tide": {"type": "string", "name": []}}}], "unknown key 'name'"), ([{"below": ["world_data"], "leaves": {"tide": {"type": "integer", "least": "0"}}}], "write an integer"),
    ([{"below": ["world_data"], "leaves": {"tide": {"type": "string", "names": "tides"}}}], "must be a list of names"),
])
def test_a_table_that_cannot_be_read_is_named(raw: Any, message: str) -> None:
    with pytest.raises(JsonError, match=re.escape(message)):
        read_leaves(raw, "contract.json: leaves")


def test_every_leaf_is_found_by_its_name_and_its_others() -> None:
    for leaf in TABLE.leaves:
        path = tuple("level_1" if part == "*" else part for part in leaf.path)
        match = TABLE.match(path)
        assert match
        assert (match.own, match.written) == (path, path)
        for name in leaf.names:
            other = TABLE.match(tuple("level_1" if part == "*" else part for part in name))
            assert other
            assert other.own != other.written
