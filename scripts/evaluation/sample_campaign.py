"""The sample campaign in a database of its own, for as long as it is asked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from mvp_site.sessions.session_notes import SAMPLE, SessionNotes
from mvp_site.settings import Settings
from mvp_site.store.campaigns import CampaignStore


@contextmanager
def sampled(settings: Settings, *, books: bool = False) -> Iterator[Settings]:
    """The settings with a database that has the sample campaign, and no model.

    With ``books`` the campaign is bound to a book, which need not be there.
    """
    with tempfile.TemporaryDirectory(prefix="mvp-site-") as folder:
        own = replace(
            settings, mvp_site_database_url=f"sqlite:///{folder}/campaigns.sqlite3",
            mvp_site_milvus_uri=None, mvp_site_llm="offline",
        )
        with closing(SessionNotes.open(own)) as notes:
            notes.import_samples()
        if books:
            with CampaignStore.open(own) as store:
                store.bind(SAMPLE, ["a-book"])
        yield own
