"""The package under another name: copied into somebody's runner, it builds, assembles and takes turns."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mvp_site

RUN = """
import sys
sys.modules["mvp_site"] = None  # whoever imports it by that name fails
from pathlib import Path
from prompts_mw import PromptAssembler, Settings, TurnHandler, TurnRequest, build_prompt_index
from prompts_mw.archive import project
project.make_project(Path("project"), project.example("station"))
settings = Settings(
    prompt_archive_dir=Path("project/prompt_archive"), prompt_index_dir=Path("project/index"),
    mvp_site_data_dir=Path("project/data"), mvp_site_llm="offline",
)
build_prompt_index(settings)
print(PromptAssembler.open(settings).assemble("The hull is leaking, I look for the patch").prompt)
with TurnHandler.open(settings) as handler:
    print(handler.handle(TurnRequest("first", "I look around")).text)
"""


@pytest.mark.slow
def test_it_can_be_vendored_under_another_name(tmp_path: Path) -> None:
    package = Path(mvp_site.__file__).parent
    shutil.copytree(package, tmp_path / "prompts_mw", ignore=shutil.ignore_patterns("__pycache__"))
    ended = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "<retrieved_context" in ended.stdout
