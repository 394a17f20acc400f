"""Archives and books in other languages: found by their words, refused where nothing fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from mvp_site import Library, PromptAssembler, Rulebook, Settings, build_prompt_index
from mvp_site.operations.importing import ImportRequest
from mvp_site.retrieval.encoder import OnnxEncoder

from .conftest import CASES, Command, Operate, write, write_prompts

SPELLS = (CASES / "books/foreign_question/hechizos.md").read_text("utf-8")
GERMAN = "".join(f"## {name}\n\nWirkt dieser Zauber, so sieht niemand das Ziel, und er hält {hours} Stunden.\n\n"
                 for hours, name in enumerate(["Brumalis", "Dolmira", "Garrafax", "Kelmira", "Mordaxia"], 2))
POLISH = "".join(f"## {name}\n\nTo zaklęcie sprawia, że nikt nie widzi celu, i trwa {hours} godzin.\n\n"
                 for hours, name in enumerate(["Brumalis", "Dolmira", "Garrafax", "Kelmira", "Mordaxia"], 2))
CHINESE = "".join(f"## {name}\n\n{text}\n\n" for name, text in [
    ("火球术", "掷出一团火焰，伤害所有人。"), ("冰墙术", "升起一道冰墙。"), ("隐身术", "施法者变得不可见，直到攻击。"), ("召唤术", "召唤一只动物，火焰无法伤害它。"),
])
KOREAN = "".join(f"## {name}\n\n이 주문은 대상을 {hours}시간 동안 보이지 않게 한다.\n\n" for hours, name in enumerate(["돌미라", "가라팍스", "켈미라", "모르닥시아"], 2))


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, real_encoder: OnnxEncoder) -> Callable[[str], tuple[Rulebook, Library]]:
    """Of a text a rulebook and a library, built once."""
    @cache
    def read(book: str) -> tuple[Rulebook, Library]:
        folder = tmp_path_factory.mktemp("shelf")
        settings = Settings(mvp_site_data_dir=folder)
        library = Library.open(settings, encoder=real_encoder)
        library.scan(write(folder / "books", {"spells.md": book}))
        return Rulebook.from_markdown(book, source="spells", settings=settings, encoder=real_encoder), library

    return read


@pytest.mark.parametrize(("book", "question", "title"), [
    (SPELLS, "¿Qué hace el hechizo Garrafax?", "Garrafax"), (SPELLS, "¿Qué hace el hechizo Dolmira?", "Dolmira"),
    (SPELLS, "Cuéntame qué efecto tiene Mordaxia", "Mordaxia"), (GERMAN, "Was macht der Zauber Garrafax?", "Garrafax"),
    (GERMAN, "Kann ich Kelmira auf einen Freund wirken?", "Kelmira"), pytest.param(POLISH, "Czy mogę rzucić Dolmira na przyjaciela?", "Dolmira", marks=pytest.mark.slow),
    (CHINESE, "火球术能伤害谁？", "火球术"), (CHINESE, "请问隐身术持续多久", "隐身术"), pytest.param(KOREAN, "친구에게 가라팍스를 쓸 수 있어?", "가라팍스", marks=pytest.mark.slow),
])
def test_an_entry_whose_whole_title_the_question_has_is_first(shelf: Callable[[str], tuple[Rulebook, Library]], book: str, question: str, title: str) -> None:
    rulebook, library = shelf(book)
    assert rulebook.search(question)[0].title == title
    assert library.ask(question).results[0].title == title


@pytest.fixture
def lore(operate: Operate, project: Path, real_encoder: OnnxEncoder) -> PromptAssembler:
    """A Chinese lorebook, imported and built."""
    operate("archive.import", ImportRequest(str(CASES / "prompts/cjk_no_word_match/lorebook.json"), version="v1", into="prompt_archive", write=True))
    settings = replace(Settings(), prompt_version="v1")
    assert build_prompt_index(settings, encoder=real_encoder).languages == ("zh",)
    return PromptAssembler.open(settings, encoder=real_encoder)


@pytest.mark.slow
def test_a_key_inside_a_sentence_without_spaces_is_a_word(lore: PromptAssembler) -> None:
    for text, wanted in [("我想加入青竹帮，找谁？", "老鲤"), ("昨天我们在白鹤楼喝过茶", "刑场"), ("井里有什么？", "铁锈")]:
        first = lore.assemble(text).chunks[0]
        assert wanted in first.text
        assert first.lexical_score > 0.1
    # What no entry fits prints nothing.
    for text in ("今天午饭吃什么比较好？", "谁赢了世界杯？", "怎么学编程？", "🐉🔥", "What is the capital of France?"):
        assert lore.assemble(text).chunks == ()


def test_lint_and_init_say_once_what_is_weaker(command: Command, project: Path) -> None:
    (project / "alt.md").write_text(GERMAN, "utf-8")
    said = command("init", "neu", "--from", "alt.md").stdout
    write_prompts(project, lore=GERMAN)
    linted = command("archive", "lint").stdout
    for output in (said, linted):
        assert " ".join(output.split()).count("written in German") == 1
    (project / "new.md").write_text("# The bell\n\nThe bell is rung when there is fog on the river.\n", "utf-8")
    assert "written in" not in command("init", "new", "--from", "new.md").stdout
