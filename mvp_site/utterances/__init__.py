"""What people say at the table, by topic, and short forms of names: data, in :data:`FOLDER`."""

from importlib import resources
from typing import Final

FOLDER: Final = resources.files(__name__)
