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
from mvp_site.llm.provider_model import ProviderModel
from mvp_site.llm.scripted import ScriptedModel

KEYS: dict[str, Any] = {"openai_api_key": "sk-a", "anthropic_api_key": "sk-b", "google_api_key": "sk-c"}


@pytest.mark.parametrize(
    ("llm", "kind", "tools"),
    [
        ("openai:gpt-5", ProviderModel, True), ("anthropic:claude-x", ProviderModel, True), ("openai:org/model:7b", ProviderModel, False), ("google:gemini-x", ProviderModel, True),
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


@pytest.mark.parametrize("llm", ["gpt-5", "openai", "openai:", "openai: ", "anthropic:", "scripted:", "Offline", "offline:x", ":"])
def test_other_forms_are_errors(llm: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_model(Settings(mvp_site_llm=llm, **KEYS))
    assert str(caught.value) == f"MVP_SITE_LLM={llm!r} names no model: write one of {', '.join(FORMS)}"


@pytest.mark.parametrize(("llm", "words"), [
    ("openai:m", "needs more: set OPENAI_API_KEY"), ("anthropic:m", "needs more: set ANTHROPIC_API_KEY"), ("google:m", "needs more: set GOOGLE_API_KEY"),
    ("groq:m", "needs more: set GROQ_API_KEY"), ("ollama:m", "needs more: set OLLAMA_BASE_URL or MVP_SITE_LLM_BASE_URL"),
    ("nobody:m", "cannot be used: there is no provider 'nobody'; docs/handler.md lists some"),
])
def test_what_is_missing_is_named(llm: str, words: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_model(Settings(mvp_site_llm=llm))
    assert str(caught.value) == f"MVP_SITE_LLM={llm!r} {words}"


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
        open_model(Settings(mvp_site_llm=f"{prefix}:m", mvp_site_llm_base_url=url, **KEYS))
    assert str(caught.value) == "MVP_SITE_LLM_BASE_URL cannot be used: it must begin http:// or https://"


@pytest.mark.parametrize(("set_to", "model", "window"), [
    (None, "openai:gpt-5-mini", 400_000), (9_000, "openai:gpt-5-mini", 9_000), (None, "openai:nobody-knows", 32_000),
])
def test_the_window_is_the_models(set_to: int | None, model: str, window: int) -> None:
    settings = Settings(mvp_site_llm=model, mvp_site_context_tokens=set_to, **KEYS)
    assert settings.fitted(open_model(settings).context_tokens).window_tokens == window


def test_no_sdk_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    script = tmp_path / "s.jsonl"
    script.write_text('{"text": "Hi."}')
    code = f"""
import sys
from mvp_site import Settings
from mvp_site.llm.models import open_model
open_model(Settings(mvp_site_llm={f"scripted:{script}"!r})).close()
print(sorted({{"openai", "anthropic", "httpx", "httpx2", "pydantic_ai"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
