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

const element = (name, kind, text) => {
  const made = document.createElement(name);
  made.className = kind;
  made.textContent = text;
  return made;
};

const complain = (message) => {
  const note = element("p", "note bad", "");
  note.setAttribute("role", "alert");
  note.append(element("strong", "", "Nothing was played."), ` ${message}`);
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

const failure = async (response) => {
  try {
    return (await response.json()).error.message;
  } catch {
    return `The server answered ${response.status}.`;
  }
};

const take = async (form, sent) => {
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
    const response = await fetch(form.action, {
      method: "POST", body: sent, headers: { Accept: "text/event-stream" },
    });
    if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      throw new Error(await failure(response));
    }
    for await (const [name, data] of events(response)) {
      if (name === "stage") waiting.textContent = WAITING[data.name] ?? "";
      // Until it is checked it is plain text: what marks emphasis is left out.
      if (name === "narrative") told.firstChild.textContent += data.text.replaceAll("*", "");
      if (name === "withdrawn") told.firstChild.textContent = "";
      if (name === "error") throw new Error(data.error.message);
      if (name === "result") result = data;
    }
    if (!result) throw new Error("The connection broke before the turn was done.");
  } catch (error) {
    complain(error.message);
    if (!field.value) field.value = words;
  }
  // Not of the form: its button may be named so too.
  const here = new URL(form.getAttribute("action"), location.href);
  here.search = new URLSearchParams({ campaign: sent.get("campaign"), mode: result?.mode ?? "story" });
  entry.remove();
  document.querySelector(".choices")?.removeAttribute("hidden");
  await refresh(here);
  if (!result) return;
  if (form === say || field.value === words) field.value = "";
  here.hash = "latest";
  history.replaceState(null, "", here);
  const latest = document.getElementById("latest");
  latest?.scrollIntoView({ block: "start" });
  latest?.focus({ preventScroll: true });
  if (form === say && !fingers) field.focus({ preventScroll: true });
};

// The page opens at the newest turn, unless its address says where.
if (!location.hash) document.getElementById("latest")?.scrollIntoView({ block: "start" });
if (!fingers) field?.focus({ preventScroll: true });

// A drawer over the story looks things up; the story stays where it is.
const drawer = document.getElementById("drawer");
const shut = () => {
  drawer.close();
  if (!fingers) field?.focus({ preventScroll: true });
};
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-drawer]")) {
    document.activeElement.blur(); // else the page scrolls to it when the drawer closes
    drawer.show();
  }
  if (event.target.closest("[data-close]")) shut();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drawer.open) shut();
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "drawer-body") document.getElementById("look-q").focus({ preventScroll: true });
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-stream]")) return;
  event.preventDefault();
  if (busy) return;
  busy = true;
  const sent = new URLSearchParams(new FormData(form, event.submitter));
  wrong.replaceChildren();
  waiting.textContent = WAITING.assembled;
  document.body.classList.add("playing");
  try {
    await take(form, sent);
  } catch {
    complain("The connection broke: load the page again to see whether the turn was taken.");
  } finally {
    busy = false;
    waiting.textContent = "";
    document.body.classList.remove("playing");
  }
});
