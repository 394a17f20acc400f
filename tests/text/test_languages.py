"""Languages: recognised by their stop words, which are left out; stems; characters in pairs."""

from __future__ import annotations

import pytest

from mvp_site.text.languages import ENGLISH, language, recognised
from mvp_site.text.names import words
from mvp_site.text.normalising import content_words, terms

pytestmark = pytest.mark.serving

TEXTS = {
    "de": "Die Glocke wird geläutet, sobald der Nebel die dritte Stufe des Turms erreicht, und niemand öffnet.",
    "fr": "La cloche sonne quand le brouillard atteint la troisième marche de la tour, et personne n'ouvre à qui que ce soit.",
    "es": "La campana suena cuando la niebla alcanza el tercer peldaño de la torre y nadie abre a nadie.",
    "pt": "O sino toca quando o nevoeiro chega ao terceiro degrau da torre e ninguém abre a porta a ninguém.",
    "it": "La campana suona quando la nebbia raggiunge il terzo gradino della torre e nessuno apre a nessuno.",
    "pl": "Dzwon bije, kiedy mgła sięga trzeciego stopnia wieży, i nikt nie otwiera nikomu, nawet swojej rodzinie.",
    "ru": "Колокол звонит, когда туман доходит до третьей ступени башни, и никто никому не открывает.",
    "nl": "Zodra de mist bij de derde trede is, wordt er geluid, en niemand doet dan nog voor een ander open.",
    "ja": "霧が塔の三段目に届くと鐘が鳴らされる。", "zh": "大雾漫到塔楼第三级台阶时便要敲钟。",
    "ko": "안개가 탑의 셋째 계단에 닿으면 종을 울린다.",
    "th": "ระฆังจะดังขึ้นเมื่อหมอกขึ้นถึงขั้นที่สามของหอคอย", "my": "မြူသည် မျှော်စင်၏ တတိယလှေကားထစ်သို့ ရောက်သောအခါ", "km": "ជួងត្រូវបានវាយនៅពេលអ័ព្ទឡើងដល់ជណ្ដើរទីបី",
    "en": "The bell is rung when fog reaches the third step of the tower, and nobody opens.",
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_text_is_recognised(code: str) -> None:
    assert recognised([TEXTS[code]]) == (code,)


def test_a_collection_may_be_in_several_languages_and_what_says_nothing_is_english() -> None:
    assert recognised([TEXTS["de"]] * 3 + [TEXTS["en"]]) == ("de", "en")
    assert recognised([TEXTS["en"]] * 30 + [TEXTS["de"]]) == ("en",)
    assert recognised([]) == recognised(["1d20+5", "Garrafax d'Olmira"]) == ("en",)


@pytest.mark.parametrize(("codes", "text", "expected"), [
    ("en", "What does the bell mean?", ["bell", "mean"]), ("de", "Was kosten die Glocken für uns?", ["kost", "glock"]),
    ("es", "¿Qué hace el hechizo Garrafax?", ["hechiz", "garrafax"]), ("es", "cuánto cuestan las campanas", ["cuest", "campan"]),
    ("ru", "Где колокола?", ["колокол"]), ("uk", "Де дзвони?", ["дзвони"]), ("xx", "die bells", ["die", "bells"]),
    ("de en", "the Glocken bells", ["glock", "glocken", "bell"]),
    ("zh", "加入青竹帮", ["加入", "入青", "青竹", "竹帮", "加加", "入入", "青青", "竹竹", "帮帮"]), ("zh", "井", ["井井"]), ("zh", "了", []),
    ("ja", "霧の鐘はランタン", ["霧霧", "鐘鐘", "ラン", "ンタ", "タン"]), ("ja", "ひまわり", ["ひま", "まわ", "わり"]), ("ko", "종탑을", ["종탑", "탑을"]), ("th", "หอคอย", ["หอ", "อค", "คอ", "อย"]),
    ("en", "the 青竹 bell", ["青竹", "青青", "竹竹", "bell"]),
])
def test_terms_in_a_language(codes: str, text: str, expected: list[str]) -> None:
    own = language(tuple(codes.split()))
    assert terms(text, own) == expected
    assert content_words(text, own) == {*expected}


def test_english_is_read_as_ever() -> None:
    assert language(("en",)) is ENGLISH
    assert terms("Running the goblin’s café") == terms("running the goblin's café", ENGLISH) == ["run", "goblin", "café"]


def test_names_without_spaces_have_a_word_a_character() -> None:
    assert words("加入青竹帮 the Goblins") == ("加", "入", "青", "竹", "帮", "the", "goblin")
