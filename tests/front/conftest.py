"""What a user has: operations over a data folder, the command line, and the cases of real use.

Tests in this folder know public names, `mvp_site.operations` and the interfaces, and nothing inside.
What stands in for the model and the SRD is put in place here alone.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import Result

from mvp_site import Settings, TurnHandler
from mvp_site.operations.all import operation
from mvp_site.operations.asking import Ask
from mvp_site.operations.importing import ImportReport, ImportRequest
from mvp_site.operations.services import Services
from mvp_site.operations.sessions import FileText, ImportFiles, ListDocuments
from tests.cli.invoking import invoke, under
from tests.entities.small_stock import stock_as_srd

CASES = Path(__file__).resolve().parent.parent / "cases"
"""Small inputs, each standing for a kind of file or turn of real use."""


def write(folder: Path, files: Mapping[str, Any]) -> Path:
    """The folder, in which each file is written: bytes, text, or what becomes JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content)).encode())
    return folder


def write_prompts(project: Path, lore: str = "# Docking\n\nAsk the tower for a berth first.\n", header: str = "Tell the story.\n") -> Path:
    """The archive of one version, of one file, which is not built."""
    return write(project / "prompt_archive", {"core_header.txt": header, "v1/lore.md": lore})


def scripted(project: Path, *lines: Any, settings: Settings | None = None, **fields: Any) -> TurnHandler:
    """A handler whose model gives these lines of a script."""
    write(project, {"script.jsonl": "".join(f"{json.dumps(line)}\n" for line in lines)})
    return TurnHandler.open(replace(settings or Settings(), mvp_site_llm=f"scripted:{project / 'script.jsonl'}", **fields))


class Operate(Protocol):
    """Runs an operation by its name: ``operate("library.ask", AskBooks("x"))``."""

    def __call__(self, name: str, request: Any, entitled: bool = True) -> Any: ...


class Command(Protocol):
    """Runs a command line in the project folder: ``command("library", "scan", "books")``."""

    def __call__(self, *words: str) -> Result: ...


def imported(operate: Operate, text: str, tokens: int = 1_500) -> ImportReport:
    """What an import of a prompt of one file writes."""
    Path("prompt.txt").write_text(text, "utf-8")
    report: ImportReport = operate("archive.import", ImportRequest("prompt.txt", version="v1", into="prompt_archive", header_tokens=tokens, write=True, replace=True))
    return report


@dataclass(frozen=True)
class Notes:
    """The session notes of one campaign."""

    operate: Operate
    campaign: str

    def keep(self, *files: tuple[str, str]) -> Any:
        return self.operate("sessions.import", ImportFiles(self.campaign, tuple(FileText(*file) for file in files)))

    def listed(self) -> Any:
        return self.operate("sessions.list", ListDocuments(self.campaign)).documents

    def ask(self, query: str, audience: Any = "player") -> Any:
        return self.operate("ask", Ask(query, campaign=self.campaign, audience=audience), audience != "player")


@contextmanager
def _project(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Path]:
    under(folder, patch)
    patch.chdir(folder)
    with stock_as_srd(patch):
        yield folder


def operate_over(services: Services) -> Operate:
    """Runs an operation over ``services``."""
    def run(name: str, request: Any, entitled: bool = True) -> Any:
        return operation(name).run(services, request, entitled)
    return run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that is the working directory, its data in ``data``.

    The encoder's double and a small stock of entities stand in for the model and the SRD.
    """
    with _project(tmp_path, monkeypatch) as folder:
        yield folder


@pytest.fixture
def services(project: Path) -> Iterator[Services]:
    """The parts that operations ask, over ``project``."""
    with closing(Services(Settings())) as opened:
        yield opened


@pytest.fixture
def operate(services: Services) -> Operate:
    """Runs an operation over ``services``."""
    return operate_over(services)


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """As ``project``, for all tests of a file."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch, _project(folder, patch):
        yield folder


@pytest.fixture(scope="module")
def shared_services(shared_project: Path) -> Iterator[Services]:
    """The parts that operations ask, over ``shared_project``."""
    with closing(Services(Settings())) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(shared_services: Services) -> Operate:
    """Runs an operation over a project of all tests of a file: each has a campaign of its own."""
    return operate_over(shared_services)


@pytest.fixture
def campaign(request: pytest.FixtureRequest) -> str:
    """The name of a campaign that no other test has."""
    return f"c-{zlib.crc32(request.node.nodeid.encode()):08x}"


@pytest.fixture
def notes(shared: Operate, campaign: str) -> Notes:
    """The notes of a campaign that no other test has."""
    return Notes(shared, campaign)


@pytest.fixture
def command(project: Path) -> Command:
    """Runs a command in ``project``; whoever asserts looks at ``exit_code``, ``stdout``, ``stderr``."""
    return invoke
