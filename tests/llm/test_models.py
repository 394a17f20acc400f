"""What MVP_SITE_LLM opens."""

from __future__ import annotations

import subprocess
import sys
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings
from mvp_site.errors import SettingsError
from mvp_site.llm.models import FORMS, open_model
from mvp_site.llm.scripted import ScriptedModel
from mvp_site.llm.sdk_model import SdkModel

KEYS: dict[str, Any] = {"openai_api_key": "sk-a", "anthropic_api_key": "sk-b"}


@pytest.mark.parametrize(
    ("llm", "kind", "tools"),
    [
        ("openai:gpt-5", SdkModel, True), ("anthropic:claude-x", SdkModel, True), ("openai:org/model:7b", SdkModel, False),
        ("scripted:{}", ScriptedModel, True), ("scripted:{}", ScriptedModel, False),
    ],
)
def test_forms(llm: str, kind: type, tools: bool, tmp_path: Path) -> None:
    path = tmp_path / "a:b.jsonl"
    path.write_text('{"text": "Hi."}')
    settings = Settings(mvp_site_llm=llm.format(path), mvp_site_llm_tools=tools, **KEYS)
    model = open_model(settings)
    assert type(model) is kind
    assert model.name == settings.mvp_site_llm
    assert model.tools is tools
    model.close()


@pytest.mark.parametrize("llm", ["gpt-5", "openai", "openai:", "openai: ", "anthropic:", "scripted:", "ollama:x", "Offline", "offline:x", ":"])
def test_other_forms_are_errors(llm: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_model(Settings(mvp_site_llm=llm, **KEYS))
    assert str(caught.value) == f"MVP_SITE_LLM={llm!r} names no model: write one of {', '.join(FORMS)}"


@pytest.mark.parametrize(("llm", "key"), [("openai:m", "OPENAI_API_KEY"), ("anthropic:m", "ANTHROPIC_API_KEY")])
def test_a_missing_key_is_named(llm: str, key: str) -> None:
    with pytest.raises(SettingsError, match=rf"^MVP_SITE_LLM='{llm}' needs a key: set {key} \(to any text"):
        open_model(Settings(mvp_site_llm=llm))


@pytest.mark.parametrize("key", ["sk-é", "sk-\nx", " sk-x", "sk-x\r\n", "\x00"])
def test_a_key_that_cannot_be_sent(key: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_model(Settings(mvp_site_llm="openai:m", openai_api_key=key))
    assert str(caught.value) == "OPENAI_API_KEY cannot be used: it has a character that no key has"


@pytest.mark.parametrize(("url", "prefix"), [
    *zip(["localhost:8000", "//host", "ftp://host", "http://", "http://h:x", "\x00", "http://user:secret@"], cycle(["openai", "anthropic"]), strict=False),
])
def test_an_address_that_is_none(prefix: str, url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_model(Settings(mvp_site_llm=f"{prefix}:m", **KEYS | {f"{prefix}_base_url": url}))
    assert str(caught.value) == f"{prefix.upper()}_BASE_URL cannot be used: it must begin http:// or https://"


def test_no_sdk_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    script = tmp_path / "s.jsonl"
    script.write_text('{"text": "Hi."}')
    code = f"""
import sys
from mvp_site import Settings
from mvp_site.llm.models import open_model
open_model(Settings(mvp_site_llm={f"scripted:{script}"!r})).close()
print(sorted({{"openai", "anthropic", "httpx", "httpx2"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
