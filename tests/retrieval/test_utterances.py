"""The situations table: what is shipped, what an archive changes of it, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mvp_site.errors import ArchiveError
from mvp_site.retrieval.utterances import STATES, Topic, load_off_topic, load_situations


def table(folder: Path, text: str) -> Path:
    (folder / "situations.toml").write_text(text, encoding="utf-8")
    return folder


def test_the_shipped_table_has_words_for_every_state(tmp_path: Path) -> None:
    situations = load_situations(tmp_path)
    assert len(situations) >= 100
    assert [s.id for s in situations] == sorted({s.id for s in situations})
    assert all(s.says and s.rules for s in situations)
    assert {state for s in situations for state in s.state} == set(STATES)


def test_no_probe_is_a_needle() -> None:
    from mvp_site.evaluation.needles import load_needles
    from mvp_site.retrieval.text import normalise

    probes = {normalise(probe) for probe in load_off_topic()}
    said = {normalise(text) for s in load_situations(Path("/nowhere")) for text in s.says}
    for split in ("tune", "test"):
        found = [n.id for n in load_needles(split) if normalise(n.query) in probes | said]
        assert not found


def test_an_archive_adds_replaces_and_removes(tmp_path: Path) -> None:
    shipped = {s.id: s for s in load_situations(tmp_path)}
    first, second, *_ = shipped
    found = {s.id: s for s in load_situations(table(tmp_path, f"""
[[situation]]
id = "{first}"
says = ["we hoist the sails"]
rules = "ships, wind, crew"
state = ["wilderness"]

[[situation]]
id = "{second}"

[[situation]]
id = "zz_new"
says = ["I tune the lute", "a song, please"]
rules = "performance"

[[situation]]
id = "never_there"
"""))}
    assert found[first] == Topic(first, ("we hoist the sails",), "ships, wind, crew", ("wilderness",))
    assert found["zz_new"] == Topic("zz_new", ("I tune the lute", "a song, please"), "performance")
    assert set(found) == set(shipped) - {second} | {"zz_new"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[situation]]\nid = ", "situations.toml: "),
        ("[[situation]]\nsays = ['a']\nrules = 'b'", "situation None needs id (text), says (list of texts) and rules"),
        ("[[situation]]\nid = 7\nsays = ['a']\nrules = 'b'", "situation 7 needs id (text)"),
        ("[[situation]]\nid = 'x'\nsays = 'a'\nrules = 'b'", "situation 'x' needs id (text), says (list of texts)"),
        ("[[situation]]\nid = 'x'\nsays = [1]\nrules = 'b'", "situation 'x' needs id"),
        ("[[situation]]\nid = 'x'\nsays = ['a']", "situation 'x' needs id (text), says (list of texts) and rules"),
        ("[[situation]]\nid = 'x'\nsays = ['a']\nrules = ['b']", "situation 'x' needs id"),
        ("[[situation]]\nid = 'x'\nsays = ['a']\nrules = 'b'\nstate = ['drunk']",
         f"situation 'x': unknown state 'drunk'; write some of {', '.join(STATES)}"),
        ("situation = 7", "situations.toml"),
        ("situation = ['x']", "situations.toml"),
        ("[situation]\nid = 'x'\nsays = ['a']\nrules = 'b'", "situations.toml"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ArchiveError, match=re.escape(message)):
        load_situations(table(tmp_path, text))
