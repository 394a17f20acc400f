"""Settings: the only reader of the environment, and what it refuses."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings
from mvp_site.errors import SettingsError
from mvp_site.settings import FILE, template

from .conftest import REPOSITORY

pytestmark = pytest.mark.serving

KINDS = [
    ("prompt_version", "mar_2026", "mar_2026"), ("prompt_archive_dir", "/srv/a", Path("/srv/a")), ("mvp_site_cache_dir", "kept", Path("kept")),
    ("prompt_cache_size", "0", 0), ("prompt_retriever_score_floor", "0.25", 0.25), ("mvp_site_llm_timeout", "2.5", 2.5),
    ("prompt_log_text", "on", True), ("mvp_site_llm_tools", "0", False), ("mvp_site_llm_base_url", "http://h/v1", "http://h/v1"), ("mvp_site_campaign_usd", "1.5", 1.5),
]
"""A field of each type, as the environment has it and as it is read."""


def test_the_defaults_are_those_of_the_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MVP_SITE_CACHE_DIR")
    guide = (REPOSITORY / "docs/operations.md").read_text("utf-8")
    shown = dict(re.findall(r"^\| `([A-Z_]+)` \| `([^`]+)` \|", guide, re.MULTILINE))
    default = {field.name.upper(): getattr(Settings(), field.name) for field in dataclasses.fields(Settings)}
    assert len(shown) >= 15
    assert shown == {name: str(int(default[name]) if isinstance(default[name], bool | float) else default[name]) for name in shown}
    assert {default[name] for name in default.keys() - shown} == {None, False, True}


@pytest.mark.parametrize(("name", "raw", "value"), KINDS, ids=[name for name, *_ in KINDS])
def test_a_field_comes_from_the_argument_the_environment_or_the_default(name: str, raw: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name.upper(), raising=False)
    default = getattr(Settings(), name)
    for blank in ("", "  "):
        monkeypatch.setenv(name.upper(), blank)
        assert getattr(Settings(), name) == default
    monkeypatch.setenv(name.upper(), f" {raw} ")
    assert getattr(Settings(), name) == value
    assert type(getattr(Settings(), name)) is type(value)
    if default is not None:
        given: dict[str, Any] = {name: default}
        assert getattr(Settings(**given), name) == default


@pytest.mark.parametrize(("variable", "raw", "problem"), [
    ("PROMPT_MAX_TOKENS_RETRIEVED", "1.5", "='1.5' cannot be used"),
    ("PROMPT_MAX_TOKENS_RETRIEVED", "-1", "='-1' cannot be used: it should be greater than or equal to 0"),
    ("MVP_SITE_MAX_LOOK_UPS", "11", "='11' cannot be used: it should be less than or equal to 10"),
    ("PROMPT_ENCODER_THREADS", "0", "='0' cannot be used: it should be greater than or equal to 1"),
    ("PROMPT_RETRIEVER_SCORE_FLOOR", "high", "='high' cannot be used"),
    ("PROMPT_RETRIEVER_SCORE_FLOOR", "1.01", "='1.01' cannot be used: it should be less than or equal to 1"),
    ("PROMPT_RETRIEVER_SCORE_FLOOR", "nan", "='nan' cannot be used"), ("PROMPT_LOG_TEXT", "maybe", "='maybe' cannot be used: it should be a valid boolean"),
])
def test_an_environment_that_cannot_be_used_is_named(variable: str, raw: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, raw)
    with pytest.raises(SettingsError, match=re.escape(f"{variable}{problem}")):
        Settings()


@pytest.mark.parametrize(("field", "value"), [
    ("prompt_max_tokens_retrieved", -1), ("prompt_retriever_score_floor", float("inf")), ("prompt_max_tokens_retrieved", "many"), ("prompt_max_tokens_retrieved", None),
    ("prompt_cache_size", 1.5), ("prompt_archive_dir", None), ("prompt_version", 3), ("prompt_log_text", "perhaps"), ("prompt_cache_size", True),
    ("mvp_site_llm_timeout", True), ("prompt_version", True),
])
def test_a_value_of_the_wrong_type_or_out_of_range_is_named(field: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=field.upper()):
        Settings(**{field: value})


@pytest.mark.parametrize("value", [
    "https://bilbo:Mellon-9@host/v1", "https://Mellon-9@host/v1", "postgresql://bilbo:Mellon-9/x@y@host/db", "bilbo:Mellon-9@host", b"Mellon-9 in bytes@x:@",
    Path("http://bilbo:Mellon-9@host/v1"), "https://bilbo:\nMellon-9'\"@host",
], ids=repr)
def test_no_representation_and_no_error_shows_a_password(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(**given: Any) -> str:
        try:
            return repr(Settings(**given))
        except SettingsError as error:
            return str(error)

    for field in dataclasses.fields(Settings):
        assert "Mellon" not in told(**{field.name: value}), field.name
        with monkeypatch.context() as patch:
            patch.setenv(field.name.upper(), str(value))
            assert "Mellon" not in told(), field.name


def test_a_representation_tells_what_is_no_secret() -> None:
    told = repr(Settings(prompt_version="mar_2026", openai_api_key="k", mvp_site_llm_base_url="http://h/v1"))
    assert told.startswith("Settings(prompt_version='mar_2026', prompt_archive_dir=PosixPath('prompt_archive'), ")
    assert "openai" not in told


@pytest.mark.parametrize("token", ["", "x", "fifteen letters", "é" * 15])
def test_a_short_token_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(SettingsError, match=rf"^MVP_SITE_DM_TOKEN has {len(token)} characters, and it must have 16 or more: make one with python -c") as caught:
        Settings(mvp_site_dm_token=token)
    assert "fifteen" not in str(caught.value)
    assert Settings(mvp_site_dm_token=token + "x" * 16).mvp_site_dm_token


# --- the file -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, whose file is read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MVP_SITE_SETTINGS")
    return tmp_path


def test_the_environment_wins_over_the_file_and_the_file_over_defaults(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings() == Settings(prompt_cache_size=1024)
    (folder / FILE).write_text('prompt_cache_size = 7\nprompt_version = " "\nmvp_site_llm_timeout = 9\nprompt_archive_dir = "a"\n')
    found = Settings()
    assert (found.prompt_cache_size, found.prompt_version, found.mvp_site_llm_timeout) == (7, None, 9)
    assert found.prompt_archive_dir == Path("a")
    assert Settings(prompt_cache_size=8).prompt_cache_size == 8
    monkeypatch.setenv("PROMPT_CACHE_SIZE", "9")
    assert Settings().prompt_cache_size == 9
    (folder / FILE).write_text("prompt_releases_kept = 3\n")
    assert (Settings().prompt_releases_kept, Settings().mvp_site_llm_timeout) == (3, 60.0)


def test_a_project_is_read_from_its_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    project = tmp_path / "game"
    project.mkdir()
    (project / "mvp-site.toml").write_text('prompt_archive_dir = "prompts"\nprompt_max_tokens_retrieved = 900\n')
    monkeypatch.setenv("PROMPT_MAX_TOKENS_RETRIEVED", "800")
    settings = Settings.of(project)
    assert (settings.prompt_archive_dir, settings.prompt_max_tokens_retrieved) == (project / "prompts", 800)
    with pytest.raises(SettingsError, match="nowhere"):
        Settings.of(tmp_path / "nowhere")


def test_paths_are_relative_to_the_file_that_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "conf").mkdir()
    (folder / "conf/my.toml").write_text('prompt_archive_dir = "../a"\nmvp_site_data_dir = "/srv/d"\n')
    (folder / FILE).write_text("prompt_cache_size = 7\n")
    monkeypatch.setenv("MVP_SITE_SETTINGS", "conf/my.toml")
    assert Settings() == Settings(prompt_archive_dir=Path("conf/../a"), mvp_site_data_dir=Path("/srv/d"))


@pytest.mark.parametrize(("content", "message"), [
    ("prompt_verson = 'x'", "mvp-site.toml: 'prompt_verson' is no setting; did you mean prompt_version?"), ("[paths]", "'paths' is no setting"),
    ("prompt_cache_size = 'x'", "mvp-site.toml: PROMPT_CACHE_SIZE='x' cannot be used: it should be a valid integer"),
    ("prompt_version = 2025-12-01", "PROMPT_VERSION=datetime.date(2025, 12, 1) cannot be used: it should be a valid string"), ("prompt_archive_dir = 3", "it is not a valid path"),
    ("openai_api_key = 917", "OPENAI_API_KEY cannot be used: it should be a valid string"), ("prompt_cache_size = -1", "PROMPT_CACHE_SIZE=-1 cannot be used"),
    ("prompt_cache_size = true", "mvp-site.toml: PROMPT_CACHE_SIZE=True cannot be used: it should not be true or false"),
    ("x = ", "the settings file mvp-site.toml is no TOML: Invalid value (at end of document)"), (b"\xff", "is no TOML: 'utf-8' codec"),
    (None, "mvp-site.toml cannot be read (No such file"), (None, "gone.toml cannot be read (No such file or directory): set MVP_SITE_SETTINGS to one that can, or unset it"),
])
def test_a_file_that_cannot_be_used_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch, content: str | bytes | None, message: str) -> None:
    if content is None:
        monkeypatch.setenv("MVP_SITE_SETTINGS", message.partition(" ")[0])
    else:
        (folder / FILE).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(SettingsError, match=re.escape(message)) as caught:
        Settings()
    assert "917" not in str(caught.value)


def test_the_template_has_a_line_for_each_setting_with_its_default(folder: Path) -> None:
    (folder / FILE).write_text(template())
    assert Settings() == Settings(prompt_archive_dir=Path("prompt_archive"))
    lines = re.findall(r"^# (\w+) = (.*?)  # (.+)$", template(), re.MULTILINE)
    assert sorted(name for name, *_ in lines) == sorted(field.name for field in dataclasses.fields(Settings))
    (folder / FILE).write_text("".join(f"{name} = {value}\n" for name, value, _ in lines))
    assert Settings() == Settings(prompt_archive_dir=Path("prompt_archive"))
    assert "\nprompt_archive_dir = " in template(["prompt_archive_dir"])


def test_only_settings_reads_the_environment() -> None:
    calls = ("os.getenv", "os.environ.get", "os.environ[")
    sources = {path: path.read_text("utf-8") for path in (REPOSITORY / "mvp_site").rglob("*.py")}
    readers = [path.relative_to(REPOSITORY).as_posix() for path, source in sources.items() if any(call in source for call in calls)]
    assert readers == ["mvp_site/settings.py"]


def test_importing_settings_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPT_CACHE_SIZE", "none of these")
    subprocess.run([sys.executable, "-c", "import mvp_site, mvp_site.settings"], check=True)
