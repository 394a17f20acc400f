#!/usr/bin/env python3
"""Writes ``docs/images/*-*.png`` of the web app's pages, in headless Chromium.

The index of mar_2026, the rulebook and the entities must be built. Turns are played in a database
of their own, by the offline narrator and, for the fallback, by a scripted model. The library is one
of the tests' books, printed and read for it. Needs the extra
``test`` and Debian's ``chromium``; the pictures in the docs were made with ``fonts-inter``,
``fonts-urw-base35`` and ``fonts-jetbrains-mono``.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from mvp_site import Settings
from mvp_site.library.library import Library
from mvp_site.llm.scripted import ScriptedModel
from mvp_site.sessions.session_notes import SAMPLE, SessionNotes
from mvp_site.turns.handler import TurnHandler
from mvp_site.turns.types import TurnRequest
from mvp_site.web import create_app

CHROMIUM: Final = "/usr/bin/chromium"
CAMPAIGN: Final = "millbrook"
QUERY: Final = {
    "q": "I try to slip past the two guards at the gate before the rain stops",
    "mode": "story", "audience": "player",
}
STATE: Final = '{"combat_state": {"in_combat": true}}'
TURNS: Final = (
    ("story", "player", "I look for someone who saw the wagons leave"),
    ("story", "player", "think: how do I get in without a fight?"),
    ("dm", "player", "How does advantage work again?"),
    ("story", "player", "asdf"),
    ("god", "god", "god: note that the gate guard is called away"),
)
OTHERS: Final = (
    ("the-drowned-valley", "I search the boat house"), ("lantern-road", "I look around"),
)
LAST: Final = (
    "I try to slip past the gate guard, hood low, one hand on the wet wall",
    "I buy a coil of rope for 1 gold",
)
QUESTION: Final = {
    "q": "What do I get back after a long rest?", "intention": "rest_mechanics",
}
UNDEAD: Final = {
    "q": "flying undead that drain life", "challenge_rating_min": 1, "challenge_rating_max": 10,
}
BOOKS: Final = ("spells", "creatures", "treasury")
WONDERED: Final = {
    "q": "Can I cast Fireball again, and what did it do at the ferry?",
    "character": "Ilse Varn",
}
WIDE: Final = (1280, 1180)
PHONE: Final = (390, 1000)


def main() -> None:
    """Play a campaign, serve it, and take every picture."""
    root = Path(__file__).resolve().parent.parent
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("folder", nargs="?", type=Path, default=root / "docs/images")
    folder: Path = given.parse_args().folder
    logging.disable(logging.WARNING)  # every request, and the fallback that is played on purpose
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        settings = Settings(
            prompt_version="mar_2026", prompt_archive_dir=root / "prompt_archive",
            prompt_index_dir=root / "data/prompt_index", mvp_site_data_dir=root / "data",
            mvp_site_database_url=f"sqlite:///{temporary}/campaigns.sqlite3",
            mvp_site_dm_token=None, mvp_site_llm="offline",
        )
        with TurnHandler.open(settings) as handler:
            refused = _play(settings, handler, Path(temporary))
            library = _shelve(settings, root, Path(temporary))
            with closing(SessionNotes.open(settings)) as notes:
                notes.import_samples()
            app = create_app(
                settings, handler=handler, library=library, config={"RATELIMIT_ENABLED": False},
            )
            server = make_server("127.0.0.1", 0, app, threaded=True)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=CHROMIUM, args=["--no-sandbox"]
                )
                _take(browser, f"http://127.0.0.1:{server.server_port}", folder, refused)
                browser.close()
            server.shutdown()


def _play(settings: Settings, handler: TurnHandler, folder: Path) -> str:
    """Take turns of every kind; the id of the one that ended in the fallback."""
    for seed, (mode, audience, text) in enumerate(TURNS, 5):
        handler.handle(TurnRequest(CAMPAIGN, text, mode, audience, seed=seed))
    script = folder / "refused.jsonl"
    wrong = json.dumps({
        "text": "[Mode: STORY MODE]\n```json\n" + json.dumps({
            "narrative": "You rolled 14 + 5 = 19. The guard, an INTJ, nods.", "dice_rolls": [],
        }) + "\n```",
        "usage": {"input_tokens": 3120, "output_tokens": 410},
    })
    called = [
        json.dumps({"calls": [{"name": name, "arguments": arguments}]}) for name, arguments in (
            ("look_up", {"query": "climbing a wet wall"}),
            ("roll_dice", {"expression": "1d20+5", "purpose": "Athletics", "dc": 13}),
        )
    ]
    script.write_text("\n".join([*called, wrong, wrong]), encoding="utf-8")
    stubborn = TurnHandler.open(
        replace(settings), model=ScriptedModel.open(script), store=handler.store,
        assembler=handler.assembler,
    )
    refused = stubborn.handle(TurnRequest(CAMPAIGN, "I climb the wall", seed=3))
    for campaign, text in OTHERS:
        handler.handle(TurnRequest(campaign, text, seed=4))
    for seed, text in enumerate(LAST, 12):
        handler.handle(TurnRequest(CAMPAIGN, text, seed=seed))
    return refused.turn_id


def _shelve(settings: Settings, root: Path, folder: Path) -> Library:
    """A library of a few of the tests' books."""
    sys.path.insert(0, str(root))
    from tests.library.shelf import manuscripts, reportlab_book  # noqa: PLC0415 (of the tests)
    from tests.library.shelf.library import build_shelf  # noqa: PLC0415 (of the tests)

    build_shelf(folder / "books", BOOKS)
    # The page that is shown whole is of our own words.
    reportlab_book.print_book(
        "hollowmere", "Hollowmere: A Drowned Valley", manuscripts.hollowmere(),
        reportlab_book.Design("Times-Roman", 10, 2, 3), folder / "books",
    )
    library = Library.open(replace(settings, mvp_site_data_dir=folder / "library"))
    library.scan(folder / "books")
    return library


def _take(browser: Browser, url: str, folder: Path, refused: str) -> None:
    inspect = f"/?{urlencode({**QUERY, 'version': 'mar_2026', 'state': STATE})}"
    compare = f"/compare?{urlencode({**QUERY, 'a': 'dec_2025', 'b': 'mar_2026'})}"
    play = f"/play?campaign={CAMPAIGN}"
    asked = f"/rulebook?{urlencode(QUESTION)}"
    found = f"/entities/monsters?{urlencode(UNDEAD)}"
    campaign = f"/ask?{urlencode({**WONDERED, 'campaign': SAMPLE})}"
    for name, path, scheme, size, at in (
        ("inspector-turn-light", inspect, "light", WIDE, None),
        ("inspector-compare", compare, "light", WIDE, None),
        ("inspector-one-turn", f"/turns/{refused}", "light", WIDE, None),
        ("inspector-play-light", play, "light", WIDE, "#user_input"),
        ("inspector-play-narrow", play, "dark", PHONE, ".latest"),
        ("rulebook-answer", asked, "light", WIDE, None),
        ("entities-search", found, "light", WIDE, None),
        ("library-page", "/library/hollowmere/entries/10", "light", (1280, 960), None),
        ("ask-answer", campaign, "light", WIDE, None),
        ("operations", "/operations", "light", (1280, 1060), None),
    ):
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce",
            color_scheme="dark" if scheme == "dark" else "light",
        )
        page = context.new_page()
        response = page.goto(f"{url}{path}")
        if response is None or not response.ok:
            raise SystemExit(f"{path} answered {response and response.status}")
        if path.startswith("/ask"):
            page.locator("#asking").evaluate("form => form.requestSubmit()")
        page.wait_for_load_state("networkidle")
        if at:
            page.locator(at).first.evaluate("node => node.scrollIntoView({block: 'start'})")
        file = folder / f"{name}.png"
        page.screenshot(path=str(file))
        print(file)
        context.close()


if __name__ == "__main__":
    main()
