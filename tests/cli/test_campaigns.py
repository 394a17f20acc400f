"""``mvp-site campaign``: what an export may overwrite, and who may read it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mvp_site import Settings
from mvp_site.store.campaigns import CampaignStore

from .invoking import invoke, ok, under


@pytest.fixture(autouse=True)
def saltmere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of one campaign."""
    under(tmp_path, monkeypatch)
    with CampaignStore.open(Settings()) as store:
        store.create("saltmere", {"secret": "sesame"})


def export(file: Path, *options: str) -> None:
    ok(invoke("campaign", "export", "saltmere", str(file), *options))


def test_an_export_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "saltmere.json"
    export(file)
    assert f"{file.stat().st_mode & 0o777:o}" == "600"
    assert json.loads(file.read_bytes())["campaign"]["id"] == "saltmere"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "saltmere.json"]


def test_an_export_overwrites_nothing_that_it_was_not_told_to(tmp_path: Path) -> None:
    file = tmp_path / "saltmere.json"
    file.write_text("mine")
    refused = invoke("campaign", "export", "saltmere", str(file))
    assert (refused.exit_code, file.read_text()) == (1, "mine")
    assert f"{file} is there already: name another, or give --force" in refused.output
    export(file, "--force")
    assert f"{file.stat().st_mode & 0o777:o}" == "600"
    assert "sesame" in file.read_text()


def test_an_export_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "saltmere.json"
    file.write_text("mine")
    monkeypatch.setattr(os, "fsync", full)
    failed = invoke("campaign", "export", "saltmere", str(file), "--force")
    assert (failed.exit_code, file.read_text()) == (1, "mine")
    assert "cannot be written: No space left on device" in failed.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "saltmere.json"]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    file, link = tmp_path / "saltmere.json", tmp_path / "link"
    link.symlink_to(file)
    export(link)
    assert link.is_symlink()
    assert "sesame" in file.read_text()
    export(Path(os.devnull))
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("name", ["saltmere", "not-begun"])
def test_a_spending_limit(name: str) -> None:
    assert ok(invoke("campaign", "limit", name)) == f"{name} has cost $0.0000; no limit\n"
    assert ok(invoke("campaign", "limit", name, "--usd", "2.5")).endswith("its limit is $2.5\n")
    assert json.loads(ok(invoke("campaign", "limit", name, "--json"))) == {"campaign_id": name, "spent": 0.0, "limit": 2.5, "own": True}
    assert ok(invoke("campaign", "limit", name, "--usd", "0")).endswith("no limit\n")
    assert "`usd` is -1" in invoke("campaign", "limit", name, "--usd", "-1").stderr
