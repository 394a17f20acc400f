"""Resting: whether a turn rests, by the player's words and the answer's own account of the turn.

Names of a rest ("a short rest", "a nap") say so wherever they stand. Verbs do if it is the player
who sleeps, camps or dozes: "we camp", or a command; not "while the others sleep".
To get spells or strength back is a rest where nothing else is said to give them, no potion and no
points. What is denied ("there is no time to rest") or lies ahead ("before we sleep") is none.
A narrative is full of sleepers, so that a word of rest in it is no more than a sign.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .context import Context, at


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})", re.IGNORECASE)


_ENDS: Final = r"(?=\W*(?:$|[.,;!?\n]|(?:for|early|now|and|then|until|here|in|by|at|under)\b))"
_MINE: Final = r"(?:my|our|your|his|her|their|some|a bit of|a little)"
_LIMBS: Final = r"(?:my|our|your) (?:weary |tired |aching )?(?:eyes|legs|feet|bones|body|back)\b"
_A_SPELL: Final = "spell|potion|darts?|poison"
_BRIEF: Final = (
    r"(?:for )?(?:half )?(?:an?|one|two|few|some|ten|twenty|thirty) (?:few |little )?"
    r"(?:hours?|minutes?|bit|while|moments?)"
)
_LONG_NAMES: Final = _any(
    r"long[ -]rest(?:s|ed|ing)?\b", r"(?:full|extended|proper) (?:night'?s )?rest\b",
    r"night'?s (?:rest|sleep)\b(?! for (?:the|his|her))", r"eight hours\b", r"overnight\b",
    r"shut-?eye\b", r"forty winks\b",
    r"(?:for|through|spend|spent) the night\b(?! (?:watch|market|guard|shift|train|porter))",
    r"until (?:dawn|morning|sunrise|daybreak|sun-?up|first light|daylight)\b",
)
_LONG_VERBS: Final = _any(
    rf"(?:sleep(?:s|ing)?|slept)\b(?! (?:{_A_SPELL}|{_BRIEF})\b)",
    r"slumber(?:s|ed|ing)?\b",
    r"(?:fall|fell|are|were|am|drift|drop)(?:s|ed|ing)? (?:\w+ ){0,2}asleep\b",
    r"(?:go|goes|going|went|off) to (?:bed|sleep)\b", r"bed(?:s|ded|ding)? down\b",
    r"hit the (?:hay|sack)\b", r"bunk(?:s|ed)? (?:down|in|here)\b", r"kip(?:s|ped)?\b",
    r"crash(?:es|ed)? (?:here|for the night|on the (?:couch|bench|floor|bed|sofa|straw))\b",
    r"encamp(?:s|ed)?\b",
    r"(?:make|makes|made|making|pitch\w*|strike|set|sets) (?:up )?(?:\w+ ){0,2}camp\b",
    # Not the place: "we go back to camp", "the camp burns"
    r"(?:(?<=i )|(?<=we )|(?<=us )|(?<=let's )|(?<=you )|(?<=then )|(?<=party ))camp(?:ed|s)?\b",
    r"(?:(?<=and )|^|(?<=[.!?] ))camp\b" + _ENDS,
    r"camp(?:s|ed|ing)? (?:for the night|down|out|tonight|until|here)\b",
    r"turn(?:s|ed)? in\b(?! (?:the|a|my|our|his|her|at))" + _ENDS, r"retires?\b" + _ENDS,
    r"(?:settl(?:e|es|ed)|hol(?:e|es|ed)|hunker(?:s|ed)?) (?:in|down|up) "
    r"(?:for (?:the night|the day|a few|some|\w+ hours)|until|till|to (?:sleep|rest))\b",
    r"(?:lie|lies|lay|lying) down (?:to|and) (?:sleep|rest)\b",
    r"calls? it a (?:night|day)\b",
    rf"(?:get|gets|got|grab|catch|snatch) {_MINE} (?:sleep|rest)\b",
)
_SHORT_NAMES: Final = _any(
    r"short[ -]rest(?:s|ed|ing)?\b", r"(?:some|brief|quick|little|hour'?s|hour of|bit of) rest\b"
    r"(?! of\b)", r"(?:a|our|my|good) rest\b(?! of\b)" + _ENDS, r"resting\b", r"breather\b",
    r"(?:(?:a|my|our|quick|short|power|cat)[ -]?|cat)nap\b", r"siesta\b", r"hit di(?:c?e)\b",
    r"rests? (?:for|until|here|now|up|a while|awhile|an hour)\b",
    r"take (?:five|ten|a break|it easy)\b",
)
_SHORT_VERBS: Final = _any(
    rf"rest(?:s|ed)? {_LIMBS}",
    r"rest(?:s|ed)?\b(?! (?:of|assured|my|our|your|his|her|their|its|on (?:his|her|my|your|the)|the"
    r"|a hand)\b)",
    rf"(?:sleep(?:s|ing)?|slept)\b(?! (?:{_A_SPELL})\b)", r"nap(?:s|ped|ping)?\b",
    r"doz(?:e|es|ed|ing)\b", r"drows(?:e|es|ed)\b", r"nod(?:s|ded)? off\b",
    r"snooz(?:e|es|ed|ing)\b", r"meditat(?:e|es|ed|ing)\b", r"recuperat\w+", r"tranc(?:e|es|ed)\b",
    r"(?:catch|catches|caught|get|got) (?:my|our|your) breath\b",
    r"(?:put|puts|kick) (?:my|our|your) feet up\b", r"(?:close|closed|shut) (?:my|our|your) eyes "
    r"(?:for|until|a while|awhile)\b",
    r"(?:sits?|lies?|lay) (?:down )?(?:[^.!?,;]{0,30}\bfor )?an? (?:hour|while|spell|bit)\b",
)
_TOLD: Final = _any(
    r"(?:rest|nap|camp|slumber)(?:s|p?ed|p?ing)?\b", r"a?sle[ep]", r"doz(?:e|ing)", r"a?w[ao]ke",
    r"(?:night|dawn|morning|breath|eyes)\b",
)
_BACK: Final = _any(
    r"(?:(?:recover|regain|restor|replenish|recharg|refresh|renew|refill)\w*"
    r"|(?:get|gets|got|take|win)(?= (?:\w+ ){1,3}back\b)) (?:\w+ ){0,3}"
    r"(?:spells?|slots?|magic|strength|powers?|energy|hit dic?e)\b",
    r"(?:spells?|slots?|magic|strength) (?:\w+ )?(?:returns?|comes? back|(?:is|are) back)\b",
)
_MEANS: Final = _any(
    r"(?:us(?:e|es|ing)|into|potions?|pearls?|rings?|rods?|staff|wands?|scrolls?|elixirs?|tonics?"
    r"|points?|font|fountain|altar|shrine|ritual|feature|blessing|gem|crystal|amulet|orb|through)\b",
    r"(?:drink|drain|convert|turn|channel|harness|sacrific|trad|cast|touch|crush|break"
    r"|eat|swallow|burn|bite|let|tap)(?:e|es|s|ing)?\b",
    r"from (?:the|my|his|her)\b",
)
_NAMED: Final = re.compile(r"\b(?:short|long)[ -]rest", re.IGNORECASE)
_RESUMED: Final = re.compile(
    r"\b(?:(?:resum|continu|finish)\w* (?:\w+ ){0,2}(?:rest\w*|sleep\w*|night|camp)|sleep on"
    r"|back to (?:sleep|bed|rest)|rest of (?:the|my|our) (?:night|rest|sleep)"
    r"|(?:go(?:es)? on|keep) (?:resting|sleeping))\b",
    re.IGNORECASE,
)
_BOUND: Final = re.compile(
    r"[.!?;:,()\n\u2014]|\b(?:while|whilst|as|until|till|when|because|since|so that|that|if|where"
    r"|who|but|past|toward|towards)\b", re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:not|never|no|cannot|without|instead|before|rather|nobody|neither|nor|too (?:\w+ )?to"
    r"|hardly|barely|refuse|skip)\b|n't\b", re.IGNORECASE,
)
# What is put to sleep is another; "cast sleep" is a spell, and "camp guard" somebody's.
_OTHERS: Final = re.compile(
    r"\b(?:him|her|it|them|his|their|its|cast|casts|casting|spell of|to the|into the|the|an?"
    r"|(?:the|both|two|all|these|those|his|her|their) (?!party)[a-z]+"
    r"|(?:put|sing|lull|lay|send)\w* (?:\w+ ){1,4}to"
    r"|(?:watch|hear|see|let|leave)\w* (?!us\b|me\b)(?:\w+ ){0,3}(?!and|to|then|us|me)\w+) $",
    re.IGNORECASE,
)
_PLAYER: Final = re.compile(
    r"\b(?:i|we|i'(?:ll|d|m)|we'(?:ll|d|re)|us|let's|me|myself|everybody|everyone|party)\b",
    re.IGNORECASE,
)
_COMMAND: Final = re.compile(
    r"(?:\W|\b(?:then|so|and|now|please|ok|okay|time|to|just|maybe|again|go|try|quick|quickly|there"
    r"|here|lets|yes|well|after|take|make|back|first|afterwards?)\b)*", re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+")
_NEAR: Final = 120


class Rest(NamedTuple):
    """Whether a turn is a long rest, whether a short one, and how sure that is."""

    long: bool
    short: bool
    named: bool
    resumed: bool


def rest_of(context: Context) -> Rest:
    """What rest the turn of an answer is."""
    why = at(context.answer, "debug_info", "state_rationale")
    said = f"{context.facts.user_input}\n{why if isinstance(why, str) else ''}"
    said = said.replace("\u2019", "'")
    named, resumed = bool(_NAMED.search(said)), bool(_RESUMED.search(context.facts.user_input))
    short = _is_named(_SHORT_NAMES, said) or _is_done(_SHORT_VERBS, said) or _comes_back(said)
    if re.search(r"\bshort[ -]rest", said, re.IGNORECASE):
        return Rest(False, True, named, resumed)
    ended = at(context.updates, "custom_campaign_state", "last_long_rest_end")
    long = (_is_named(_LONG_NAMES, said) or _is_done(_LONG_VERBS, said)
            or isinstance(ended, str))
    return Rest(long, short, named, resumed)


def is_told(text: str) -> bool:
    """Whether a narrative has a word of rest, whoever rests and whenever."""
    return bool(_TOLD.search(text))


def _is_named(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a rest is named that is not denied."""
    return any(not _DENIED.search(_clause(text, match.start())) for match in pattern.finditer(text))


def _is_done(pattern: re.Pattern[str], text: str) -> bool:
    """Whether it is the player who rests: as the subject of the clause, or as who is told to."""
    for match in pattern.finditer(text):
        before = _clause(text, match.start())
        if _DENIED.search(before) or _OTHERS.search(before):
            continue
        if _PLAYER.search(before) or _COMMAND.fullmatch(before):
            return True
    return False


def _comes_back(text: str) -> bool:
    """Whether something comes back, and nothing is said to give it."""
    return any(
        not _MEANS.search(sentence) and not _DENIED.search(_clause(sentence, match.start()))
        for sentence in _SENTENCE.findall(text) for match in _BACK.finditer(sentence)
    )


def _clause(text: str, end: int) -> str:
    """What stands before a place in its clause."""
    near = text[max(0, end - _NEAR) : end]
    last = 0
    for bound in _BOUND.finditer(near):
        last = bound.end()
    return near[last:]
