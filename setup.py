"""What setup.cfg cannot say: the newest prompts of ``prompt_archive/`` go into the wheel."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ARCHIVE = Path("prompt_archive")
OLDER = ("dec_2025",)


class BuildWithExample(build_py):
    """Copies the archive to ``mvp_site/examples/dnd``; a checkout uses it where it stands."""

    def run(self) -> None:
        """Build as usual, and copy."""
        super().run()
        if not self.editable_mode:
            shutil.copytree(ARCHIVE, Path(self.build_lib, "mvp_site/examples/dnd"),
                            ignore=shutil.ignore_patterns(*OLDER), dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithExample})
