"""Internal terms: what names a type, a trait or an alignment, and what is plain English."""

from __future__ import annotations

import pytest

from mvp_site.turns.rules.terms import terms_in

from ..answers import GOLD, SNEAK, Turn

TERMS = [
    "She is an INTJ through and through.", "An intj-like calm settles on him.", "The INFP's gaze drops.",
    "Two ESTPs and a door.", "type: enfj.", "(ISTP)", "“Entj,” says the oracle.", "act_like_infj",
    "an INTJ-A if ever there was one", "I.N.T.J. is carved above", "The cards say I-N-F-P.", "E S T J in chalk",
    "ISTJ", "isfj", "ESFJ", "ESTJ", "ENTP", "INTP", "ENFP", "ISFP", "ESFP", "Her Myers-Briggs type is plain.",
    "the MBTI of the matter", "myers briggs", "ＩＮＴＪ", 'I\u200bN\u200bT\u200bJ', 'IN\xadFP', "ІNТЈ", "𝐈𝐍𝐅𝐏",
    "ÍŃF́Ṕ", "ɪɴᴛᴊ", "She is high in openness.", "Openness: 8", "his openness score",
    "He scores highly on openness", "lawful-evil", 'Lawful\nEvil', "the Chaotic Neutral rogue", "act_lawful_evil",
    "CHAOTIC EVIL!", "Neutral Good at heart", "neutral-evil", "chaotic/good", "lawfulgood", "lawful–evil",
    "lawful-neutral", "<b>Lawful</b> <em>Evil</em>", "<i>Neutral</i><br/><i>Good</i>", "Neutral<br>Evil",
    "Lawful &amp; Good", "Neutral + Good", "chaotic-evil's way",
]
MAY_NAME = [
    "a Big Five profile", "the big five personality traits", "Her neuroticism flares.", "low Agreeableness",
    "his agreeableness wins you over", "a man of high conscientiousness", "extraversion",
    "All that extroversion wearies you.", "low openness", "openness to experience", "openness and conscientiousness",
    "conscientiousness, openness and the like", "аgreeableness", 'neuro\u200cticism', "He is lawful good.",
    "a true neutral druid", "**lawful** good", 'lawful  \t good', 'lawful\xa0good', 'law\xadful good', "ｌａｗｆｕｌ ｅｖｉｌ",
    "lаwful gооd", "chaotic good-aligned", "an evil-aligned blade", "of lawful alignment", "alignment: chaotic",
    "her alignment is evil", "chaotic & evil", "his alignment is good", 'true\nneutral', "chaotic good.",
    "alignment: Good", "of good alignment", "çhaotic evil", "evil-aligned",
]
PLAIN = [
    # types
    "The LINFPA seal is broken.", "Sestpoint", "mentjar", "infpower", "Estpan", "It is an intention.", "He went.",
    "In fp., on the margin", "E, S, T and J are the keys of the organ.", "I N the dark", "inn", "enter", "ESTATE",
    # scales
    "the openness of the plain", "The openness of the square leaves no place to hide.", "an open door",
    "Her openness surprises you.", "He answers with openness.", "in the open", "agreeable weather",
    "an agreeable host", "the agreeableness of the evening", "a conscientious scribe", "conscientious and agreeable",
    "the neurotic little dog", "an extroverted innkeeper", "an introvert by trade", "the big five merchant houses",
    "open to new experiences", "high above the open moor", "low, open boats", "the high openness of the nave",
    "the low road, the open sea", "wide open", "openly", "an open-handed lord", "great openness and light",
    "an agreeable type", "a conscientious type of man", "five traits of a good horse", "experience, and an open mind",
    "a neurotic, conscientious clerk", "openness", "open to experiencing the sea",
    # alignments
    "an honest neutral expression", "a neutral expression", "the lawful heir", "chaotic market stalls", "good and evil",
    "a lawful king, good to his people", "The writ is lawful. Good.", "lawful, good men", "neutral ground", "on true neutral ground",
    "She bids you a neutral good morning.", "a neutral good-bye", "the chaotic good cheer of the hall", "chaotic good-humoured crowd",
    "a chaotic evil-smelling heap", "a lawful goods tax", "chaotic goodness", "unlawful evil", "chaotically evil-looking",
    "the alignment of the stars", "an evil alignment of planets", "good alignment with the door", "evil", "lawful evildoers",
    "neutral goods", "the wheel's alignment is good", "The stones are in good alignment.", "neutral alignment of the doors", "the alignment changes at noon", "neutral as water", "a true, neutral friend", "lawful and good and tired",
    "He stays neutral.\n\nEvil walks the yard.", "neutral\n \nGood, she says.", "He is neutral - good news for you.", "It was lawful \u2014 evil men laughed.", "She stays neutral\u2014good.", "neutral -- good grief",
    "\u201cNeutral?\u201d \u201cGood.\u201d", "lawful & orderly", "The A B C D of it", "their alignment is good", "the lens: its alignment is good", "lawful but good-natured", "a <b>neutral</b> tone", "Lawful and kind",
    "She is an introverted type.", "the extroverted personality type", "The lawful good people sleep.", "A chaotic evil spread through the city.", "War is a lawful evil.",
    "His conscientiousness did him credit.", "She is open, conscientious and agreeable.", "He is an extravert.", "an openness to experience that she had lost", "alignment: NE by E",
    "in good faith", "neutral colours; evil weather", "The road is chaotic, evil news travels fast.", "LG", "CE 1492", "ne'er",
    "\u0418\u043d\u0442\u0435\u0440\u0435\u0441", "日本語", "naïve café",
]


@pytest.mark.parametrize("text", TERMS)
def test_what_names_a_term(text: str) -> None:
    assert terms_in(text)
    assert SNEAK.saying(f"It is late. {text} The river goes on.").named("internal_terms")


@pytest.mark.parametrize("text", MAY_NAME)
def test_what_may_name_one_is_told_and_not_refused(text: str) -> None:
    checked = SNEAK.saying(f"It is late. {text} The river goes on.").check()
    assert checked.ok
    assert [(found.rule, found.path) for found in checked.warnings] == [("internal_terms", "narrative")]


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_plain_english(text: str) -> None:
    assert terms_in(text) == ()
    assert SNEAK.saying(f"It is late. {text}\n\nThe river goes on.").check().violations == ()


@pytest.mark.parametrize(("turn", "place", "value"), [
    (SNEAK, "planning_block/thinking", "Play her as INTJ, lawful evil."),
    (SNEAK, "debug_info/dm_notes/0", "high neuroticism"),
    (SNEAK, "planning_block/context", "true neutral"),
    (GOLD, "god_mode_response", "Her profile holds INTJ."),
])
def test_what_the_rule_does_not_read(turn: Turn, place: str, value: object) -> None:
    assert turn.having(place, value).check().ok


@pytest.mark.parametrize(("name", "text", "caught"), [
    ("Infp Aldermoor", "Infp nods. \u201cInfp!\u201d Infp's hat.", False), ("Infp Aldermoor", "Infp is an INFP.", True), ("Infp Aldermoor", "Infp is an ENTJ.", True), ("Aldermoor", "Infp nods.", True),
    ("ISTP-9", "ISTP-9 hums.", False), ("Lawful Good", "He is Lawful Good.", True),
])
def test_a_code_that_is_a_name_is_a_name(name: str, text: str, caught: bool) -> None:
    turn = SNEAK.in_state("npc_data/npc_ford_warden_001/name", name).saying(text)
    assert bool(turn.named("internal_terms")) is caught
    assert turn.named("internal_terms") == turn.in_state("npc_data/npc_ford_warden_001/full_name", name).named("internal_terms")


def test_a_name_may_stand_in_a_choice_and_its_key() -> None:
    turn = SNEAK.having("planning_block/choices/ask_infp", {"text": "Ask Infp", "description": "Infp knows.", "risk_level": "low"})
    assert len(turn.named("internal_terms")) == 3
    assert turn.in_state("quest_data/quest_lost_carter_001/giver_name", "Old Infp").named("internal_terms") == []


def test_a_place_is_named_once_with_the_first_terms() -> None:
    found, = SNEAK.saying("INTJ, INFP, INTJ, lawful evil, ESTP, neuroticism").named("internal_terms")
    assert found.message.startswith("names 'INTJ', 'INFP', 'ESTP': ")
