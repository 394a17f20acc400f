"""Phrases: what the offline narrator tells, by kind of action and by outcome.

``{who}`` is a person's name or a turn of phrase for one, ``{place}`` the place's. The phrases name
no thing that a state would have to hold: they tell of air, light, ground and bearing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SIGNED: Final = "[Told by the offline narrator; no language model is connected.]"

OPENINGS: Final = (
    "For the length of a breath nothing moves.",
    "The light has shifted a little, and the shadows with it.",
    "Somewhere behind you a board settles, and the world goes on as if it had not.",
    "The air smells of rain that has not made up its mind.",
    "A door closes, not near; then it is quiet again.",
)
CLOSINGS: Final = (
    "What comes next is in your hands.",
    "The moment waits for you.",
    "There is time for one clear decision.",
    "Nothing presses you but the hour.",
)

_TOLD: Final = """
## attack success
- You commit to the blow and it goes where you sent it. {Who} gives ground, one step and then
  another, and the guard that looked so sure a moment ago has a hole in it.
- There is a gap between one breath and the next, and you are through it. The hit lands clean;
  {who} reels and comes up slower than before.
- Feint, turn, strike: {who} reads the first, misses the second and takes the third in full.
## attack failure
- {Who} is not where the blow arrives. Steel sings on nothing, and the two of you circle around the
  place where it ought to have ended.
- The strike comes a hair too early. {Who} turns it aside with a jolt that you feel up to the
  shoulder, and the distance between you opens again.
- You press, {who} yields, and all that is cut is air. Now both of you know the other's reach.
## attack plain
- You close in, and for a heartbeat the two of you only measure each other: weight, reach, footing.
  {Who} waits for you to begin in earnest.
- Your weapon is up and so is the other. Neither of you has given an inch yet.
## sneak success
- You put each foot down as though the ground were asleep. A head turns, looks through you, and
  turns away again.
- Shadow to shadow, with a long count between them: you cross the open stretch while every eye is
  busy elsewhere.
- The night is on your side, or at least it does not tell. You are past the worst of it before
  anyone thinks to listen.
## sneak failure
- A pebble goes. It is a very small pebble, and it makes a very large noise; talk stops nearby, and
  somebody says a single, questioning word.
- You have the rhythm of it until the ground lies about its weight. The creak hangs there, and
  after it a silence that is paying attention.
- Cloth catches, tears, and in the quiet it might as well have been a bell. You are not seen yet;
  you are certainly wondered about.
## sneak plain
- You draw back to where the dark is thickest and let the place forget you. The way ahead lies in
  stripes of light and shade.
- From here you can count the eyes that matter, and the steps between you and being out of them.
## search success
- You go over it the slow way, hand's breadth by hand's breadth, and the place gives in: dust lies
  thinner along one edge than it should, and the wear on the floor leads to it.
- Most of it is what it seems. One corner is not. Something has been moved there often and put back
  with care, and the care is what gives it away.
- Patience pays. Behind the plain sight of things there is a second arrangement, and now that you
  have seen it you cannot unsee it.
## search failure
- You turn over what can be turned over. Dust, splinters, the small change of neglect; if there is
  more, it keeps its counsel.
- Ten minutes leave you with dirty hands and the same questions. The place may be empty, or it may
  be better at this than it looks.
- Everything is where one would leave it. That proves nothing, in either direction.
## search plain
- You take the measure of it first: where hands have been, where feet have not, what a hurried
  person would have passed over.
- You begin at the door and work inward. There is more here than a glance would tell.
## track success
- Bent grass, a scuffed stone, the edge of a heel in soft ground: you have the line of it now, and
  it runs straight, as people run who know where they are going.
- The ground remembers. One set of marks is fresher than the rest, deeper on the outward side, and
  it does not come back.
## track failure
- Too many feet have come this way, and the weather after them. What you follow for ten minutes
  turns out to be your own line, coming round.
- The marks fade where the ground hardens. Beyond that, one direction is as good as another.
## track plain
- You crouch and let the low light do its work. There are marks here; sorting them is another
  matter.
- The trail, if it is one, begins at your feet and makes no promises.
## unlock success
- The last pin sulks, gives, and the whole stubborn thing turns under your fingers with a sound
  like a cleared throat.
- You stop pushing and begin to listen, and then it is easy. Click, click, and a third click that
  is deeper than the others.
## unlock failure
- It turns halfway, thinks better of it and snaps back. The mechanism is no worse than before, and
  no better disposed to you.
- Your wrist aches, your tools are warm, and it is exactly as shut as when you knelt down.
## unlock plain
- You kneel and look it in the eye: good work, old work, made by somebody who disliked visitors.
- You try the feel of it without forcing anything. It will take time and a steady hand.
## climb success
- Hand, foot, hand. There is a bad moment when your weight hangs on three fingers and an opinion,
  and then you are over it and breathing.
- Your arms know the work before you do. It is done in one long effort that leaves you standing
  where you meant to stand.
## climb failure
- The hold was never a hold. You slide back to where you started, with skin left behind and no harm
  that will last.
- Halfway your strength and the distance come to different conclusions, and you let yourself down
  before it is decided for you.
## climb plain
- You look for the line that a sensible person would take, and find one, more or less.
- You set your hands and test the first of it. It holds, so far.
## persuade success
- {Who} hears you out to the end, which is already more than you were promised. The shoulders come
  down by an inch. "Very well," and after a pause, "this once."
- Something in it reaches {who}. The answer is long in coming, and when it comes it is shorter than
  the silence before it: "All right."
- {Who} looks for the flaw in it, does not find one, and lets out a breath. "You might have started
  with that."
## persuade failure
- {Who} listens with great politeness and does not move at all. "No," you are told, and it is the
  kind that has been used before.
- The words are good ones, and they slide off. {Who} has something to lose here that you have not
  named.
- "I have heard that better said," {who} answers, "and I said no to that as well."
## deceive success
- {Who} turns the story over once and puts it down where you wanted it. It was the dull detail that
  did it; nobody invents a dull detail.
- The pause is short. "Of course," {who} says, already thinking of something else.
## deceive failure
- {Who} repeats your last words slowly, as one tests a coin with a tooth. The smile that follows is
  not a friendly one.
- It is nearly good enough. {Who} asks one small question, the wrong one, and waits.
## threaten success
- {Who} finds that the wall is nearer than it was. Whatever was going to be said is swallowed, and
  what comes instead is quiet and quick.
- It is not the words, it is how little you raise your voice. {Who} looks at the door, at you, and
  gives way.
## threaten failure
- {Who} has been threatened by people who did it for a living. "Is that all?"
- For a moment it might work. Then {who} squares up, and there are two of you who cannot step back.
## recall success
- It was told to you twice, once as a warning and once as a joke, and both times the same part was
  left unchanged. That part fits what is in front of you.
- A line of an old song, a clerk's remark, a mark on a map: laid side by side they make sense of
  what you see.
## recall failure
- There was something, years ago, in somebody else's mouth. It stays there.
- You know its neighbors, you know what it is not; the thing itself does not come.
## recall plain
- Old talk goes round, half of it from people who had it from somebody else.
- The matter is not strange to these parts. Somebody here would know more.
## cast plain
- The first words of it hang in the air, and the air leans in. It is all there, gathered and
  humming; it waits for you to say how much of yourself it may have.
- Your fingers find the old figure by themselves. The small hairs rise on every arm within reach,
  and the working stands open like a door.
- Power comes when it is called; it has never yet come quietly. It holds, for as long as you hold
  it.
## take plain
- You set your hands to it. It is heavier than it looks and older than it pretends, and nobody
  objects.
- It is a small thing, done in the time it takes to do it. Nobody so much as turns a head.
- Your hand closes; weight, grain, temperature. Nothing about it surprises you, which is itself
  worth noting.
## talk plain
- {Who} considers the matter with a tilt of the head. "That depends," comes the answer, "on who is
  asking, and what for."
- {Who} talks the way people talk who would like to be asked one more question: a little, then a
  look, then a little again.
- "You are not the first to want to know that," {who} says. "Sit, or stand; but ask it straight."
## look plain
- Little by little the place comes apart into its pieces: what is worn and what is new, who belongs
  here, and which way the draft goes.
- You give it a full minute. Sounds that were one sound become three, and one of those is nearer
  than you had supposed.
- Seen from the side, from the corner of the eye, things keep their places a little less firmly
  than they ought to.
## act plain
- You do it, plainly and without fuss. The world makes room for it, as it does for people who seem
  to know what they are about.
- It is soon done. A few heads turn and turn back; something has been set going, if only by a
  little.
- One thing after another, in good order. When you look up the moment has moved on, and you with
  it.
## pause plain
- Nothing is said, and the silence is not unfriendly.
- You stand a while as one stands at a crossing, before the first step makes the others likely.
- A breath goes in and out. Everything is still where it was.
## wait plain
- You let the time go by. Those who had business here finish it, others begin theirs, and nobody
  finds you worth a second look.
- Minutes pass, the long kind. The light moves by the width of a hand.
- You keep still and the place resumes its habits around you.
## travel plain
- Two hours on foot, in a wide loop through the country round about: hedges, a dry ditch, a rise
  from which the way can be seen for miles. It brings you back by another side, with the ground in
  your legs.
- The way out is longer than it looks from indoors. You follow it for an hour, mark where it forks,
  and are back before anyone has missed you.
## arrive plain
- The way lets itself be walked. Bend by bend what was behind you is put away, and at the end of it
  stands {place}, rather smaller than the talk about it.
- You go at the pace that lasts. When the last rise is behind you there it lies: {place}, and
  nobody at its edge who seems to expect you.
## short_rest plain
- An hour, well spent: boots off, water, something to chew on. Nothing comes to disturb it but a
  bird with a grievance.
- You sit until the ache has finished talking. When you stand up again the hour has gone by and
  taken the worst of it along.
- There is shade and there is quiet, and for an hour no one wants anything.
## long_rest plain
- The night goes by in pieces: the fire, a far dog, a stretch of nothing at all. When it is over
  your limbs are your own again.
- Eight hours. You wake once, to a sound that turns out to be the wind, and then not again until it
  is time.
- Sleep comes down like a lid. On the other side of it the world has been put back in order, more
  or less.
## fell success
- The blow lands where it was meant to. {Who} looks surprised, sits down as one sits down after a
  long day, and does not get up.
- One clean stroke, and the fight goes out of {who} like water out of a cracked jar. It is over.
"""


def _sections(text: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """The phrases below each heading, which names the kind and the outcome."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for section in text.split("\n## ")[1:]:
        heading, *phrases = section.split("\n- ")
        kind, outcome = heading.split()
        found[kind, outcome] = tuple(" ".join(phrase.split()) for phrase in phrases)
    return found


TOLD: Final[Mapping[tuple[str, str], tuple[str, ...]]] = _sections(_TOLD)
"""What is told, by kind of action and outcome."""
