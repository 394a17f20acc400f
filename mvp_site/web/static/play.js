// The page to play on: turns are told as they come, and the page stays. Without this file the same
// forms are sent as forms.
"use strict";

const say = document.querySelector("form.say");
const field = document.getElementById("user_input");
const wrong = document.getElementById("said-wrong");
const waiting = document.querySelector(".waiting");
const WAITING = {
  assembled: "The rules are looked up…", asked: "The narrator is writing…",
  rolled: "Dice are rolled…", looked_up: "The narrator looks something up…",
  rejected: "The answer broke a rule and is asked for again…",
  failed: "The narrator is asked again…", accepted: "Checked.",
};
let busy = false;

// The draft, and a turn that was sent and not answered, are kept in this tab until they are played: a reload loses nothing.
// The same turn is sent under the same key, so that it is taken once.
const campaign = say?.elements.campaign.value;
const HOUR = 3_600_000;
const kept = (name) => JSON.parse(sessionStorage.getItem(`${name} ${campaign}`));
const keep = (name, value) => {
  if (value) sessionStorage.setItem(`${name} ${campaign}`, JSON.stringify(value));
  else sessionStorage.removeItem(`${name} ${campaign}`);
};
const type = (text) => {
  field.value = text;
  keep("draft", text);
};
const under = (own, sent) => {
  const body = sent.toString();
  const before = kept("turn");
  const key = before?.body === body ? before.key
    : [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  keep("turn", { body, key, own, time: Date.now() });
  sent.set("key", key);
};

class Refused extends Error {}

const element = (name, kind, text) => {
  const made = document.createElement(name);
  made.className = kind;
  made.textContent = text;
  return made;
};

const complain = (what, message) => {
  const note = element("p", "note bad", "");
  note.setAttribute("role", "alert");
  note.append(element("strong", "", what), ` ${message}`);
  wrong.replaceChildren(note);
  note.scrollIntoView({ block: "nearest" });
};

// What the server makes of the campaign now takes the place of what stands here.
const refresh = async (address) => {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of document.querySelectorAll("[data-swap]")) {
    const now = fresh.getElementById(old.id);
    if (!now) continue;
    if (old.id === "sheet") now.open = old.open;
    old.replaceWith(now);
  }
  document.title = fresh.title;
};

// Server-sent events of a response, one at a time.
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (held + value).split("\n\n");
    held = parts.pop();
    for (const part of parts) {
      const lines = part.split("\n");
      const name = lines.find((line) => line.startsWith("event: "));
      const data = lines.find((line) => line.startsWith("data: "));
      if (name && data) yield [name.slice(7), JSON.parse(data.slice(6))];
    }
  }
}

const pause = (seconds) => new Promise((done) => { setTimeout(done, 1000 * seconds); });

// What the server sends for a turn; while another of the campaign is under way, one that is sent again waits.
const answered = async (sent, again) => {
  for (let tries = again ? 12 : 1; ; tries -= 1) {
    const response = await fetch(say.action, {
      method: "POST", body: sent, headers: { Accept: "text/event-stream" },
    });
    if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response;
    const wait = response.headers.get("Retry-After");
    if (!wait || tries === 1) throw new Refused((await response.json()).error.message);
    await pause(wait);
  }
};

const take = async (own, sent, again) => {
  const words = sent.get("user_input");
  const entry = element("article", "entry latest unchecked", "");
  const said = element("h2", "said", "");
  said.append(element("q", "", words));
  const told = element("div", "narrative", "");
  told.append(element("p", "", ""));
  entry.append(said, told);
  document.querySelector(".choices")?.setAttribute("hidden", "");
  document.getElementById("story").append(entry);
  entry.scrollIntoView({ block: "nearest" });
  let result = null;
  try {
    const response = await answered(sent, again);
    for await (const [name, data] of events(response)) {
      if (name === "stage") waiting.textContent = WAITING[data.name] ?? "";
      // Until it is checked it is plain text: what marks emphasis is left out.
      if (name === "narrative") told.firstChild.textContent += data.text.replaceAll("*", "");
      if (name === "withdrawn") told.firstChild.textContent = "";
      if (name === "error") throw new Refused(data.error.message);
      if (name === "result") result = data;
    }
    if (!result) throw new Error();
  } catch (error) {
    entry.remove();
    document.querySelector(".choices")?.removeAttribute("hidden");
    if (!(error instanceof Refused)) {
      if (own && !field.value) type(words);
      complain("The server is not reached.", "Your words are kept. Send them again, or load the page: the turn is taken once.");
      return;
    }
    complain("Nothing was played.", error.message);
    if (!field.value) type(words);
  }
  keep("turn", null);
  const here = new URL(say.action);
  here.search = new URLSearchParams({ campaign });
  entry.remove();
  document.querySelector(".choices")?.removeAttribute("hidden");
  if (result && field.value === words) type("");
  if (result) plain();
  await refresh(here);
  if (!result) return;
  here.hash = "latest";
  history.replaceState(null, "", here);
  const latest = document.getElementById("latest");
  latest?.scrollIntoView({ block: "start" });
  latest?.focus({ preventScroll: true });
  if (own && !fingers) field.focus({ preventScroll: true });
};

// What is not usual is shown without unfolding, and holds for one turn.
const radios = [...say?.querySelectorAll("[type=radio]") ?? []];
const USUAL = ["story", "player"];
const show = () => {
  const chosen = radios.filter((radio) => radio.checked && !USUAL.includes(radio.value));
  say.querySelector(".say-as").textContent = chosen.map((radio) => `: ${radio.parentElement.textContent.trim()}`).join("");
};
const plain = () => {
  for (const radio of radios) radio.checked = USUAL.includes(radio.value);
  show();
};
if (say) {
  say.addEventListener("change", show);
  addEventListener("pageshow", show);
  field.addEventListener("input", () => keep("draft", field.value));
  if (field.value) keep("draft", field.value);
  else field.value = kept("draft") ?? "";
}

// The page opens at the newest turn, unless its address says where.
if (!location.hash) document.getElementById("latest")?.scrollIntoView({ block: "start" });
if (!fingers) field?.focus({ preventScroll: true });

// A drawer over the story looks things up; the story stays where it is.
const drawer = document.getElementById("drawer");
const shut = () => {
  drawer.close();
  if (!fingers) field?.focus({ preventScroll: true });
};
// Back leaves the drawer, not the table.
const leave = () => {
  if (history.state?.drawer) history.back();
  else shut();
};
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-drawer]")) {
    document.activeElement.blur(); // else the page scrolls to it when the drawer closes
    if (!drawer.open) history.pushState({ drawer: true }, "");
    drawer.show();
  }
  if (event.target.closest("[data-close]")) leave();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drawer.open) leave();
});
addEventListener("popstate", () => {
  if (drawer?.open) shut();
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "drawer-body") document.getElementById("look-q").focus({ preventScroll: true });
});

const play = async (own, sent, again = false) => {
  if (busy) return;
  busy = true;
  under(own, sent);
  wrong.replaceChildren();
  waiting.textContent = again ? "Your last turn is picked up…" : WAITING.assembled;
  document.body.classList.add("playing");
  try {
    await take(own, sent, again);
  } catch {
    complain("The turn was taken.", "The server is not reached any more: load the page to read it.");
  } finally {
    busy = false;
    waiting.textContent = "";
    document.body.classList.remove("playing");
  }
};
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-stream]")) return;
  event.preventDefault();
  play(event.target === say, new URLSearchParams(new FormData(event.target, event.submitter)));
});

// A turn that was under way when the page was left is picked up: it is sent again, and taken once.
const left = say && kept("turn");
if (left && Date.now() - left.time < HOUR) {
  play(left.own, new URLSearchParams(left.body), true);
} else if (left) {
  keep("turn", null);
  if (!field.value) type(new URLSearchParams(left.body).get("user_input"));
}
