// Comforts only: every page does all it does without this file.
"use strict";
document.documentElement.classList.add("js");

// "/" leads to the field that a page is about.
document.addEventListener("keydown", (event) => {
  const field = document.querySelector("[data-search]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || !field) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// Enter sends a text field's form, Shift + Enter is a new line; where fingers type, Enter is one too.
const fingers = matchMedia("(pointer: coarse)").matches;
for (const hint of fingers ? [] : document.querySelectorAll("[data-keys]")) {
  hint.textContent = `Enter ${hint.dataset.keys}, Shift + Enter is a new line`;
}
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || !event.target.matches("[data-submits]")) return;
  if (event.shiftKey || event.altKey || (fingers && !event.ctrlKey && !event.metaKey)) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

// A text that is too long is said to be, and not cut.
document.addEventListener("input", ({ target }) => {
  const most = Number(target.dataset.most);
  if (!most) return;
  const was = target.validationMessage;
  const size = [...target.value].length;
  target.setCustomValidity(size > most
    ? `This has ${size.toLocaleString("en")} characters; at most ${most.toLocaleString("en")} can be sent.` : "");
  if (!was && target.validationMessage) target.reportValidity();
});

// What takes long is sent once, and says that it is under way.
for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", (event) => {
    if (document.body.dataset.sent) {
      event.preventDefault();
      return;
    }
    document.body.dataset.sent = "1";
    form.classList.add("sent");
    const own = form.querySelectorAll("[data-waiting]");
    for (const note of own.length ? own : document.querySelectorAll("[data-waiting]")) {
      note.textContent = note.dataset.waiting;
    }
  });
}
addEventListener("pageshow", () => {
  delete document.body.dataset.sent;
});

// What points at a passage lights it up, wherever it stands.
const light = (event) => {
  const found = event.target.closest("[data-passage]");
  for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
  if (!found) return;
  const number = found.dataset.passage;
  for (const twin of document.querySelectorAll(`[data-passage="${number}"]`)) twin.classList.add("lit");
};
document.addEventListener("pointerover", light);
document.addEventListener("focusin", light);

// A link into what is folded opens it.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  let target = link && document.getElementById(link.getAttribute("href").slice(1))?.closest("details");
  for (; target; target = target.parentElement.closest("details")) target.open = true;
});

// On a narrow window the contents of the book are folded until they are asked for.
if (matchMedia("(max-width: 64rem)").matches) {
  for (const contents of document.querySelectorAll("[data-contents]")) {
    contents.open = contents.querySelector(".field-error") !== null; // an error is never folded away
  }
}

// The contents show where the page is, without moving the page itself.
for (const rows of document.querySelectorAll(".contents-rows")) {
  const here = rows.querySelector('[aria-current], [data-passage="1"]');
  if (here) rows.scrollTop += here.getBoundingClientRect().top - rows.getBoundingClientRect().top - rows.clientHeight / 3;
}

// A row of tabs that is wider than the window shows the one that is open.
for (const row of document.querySelectorAll("[data-shows-current]")) {
  const here = row.querySelector("[aria-current]");
  if (here) row.scrollLeft = here.offsetLeft - row.offsetLeft - row.clientWidth / 3;
}

// A server that is not reached is told of where its answer would stand.
document.addEventListener("htmx:sendError", ({ detail }) => {
  const note = document.createElement("p");
  note.className = "note bad unreached";
  note.setAttribute("role", "alert");
  note.textContent = "The server is not reached. Try again in a moment.";
  detail.target.querySelector(".unreached")?.remove();
  detail.target.prepend(note);
});

// An error that has nothing to put in the place of the old part is shown whole.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, target, pathInfo } = event.detail;
  if (xhr.status < 400 || xhr.response.includes(`id="${target.id}"`)) return;
  event.detail.shouldSwap = false;
  location.assign(pathInfo.finalRequestPath);
});

// A candidate's text opens at the section that brought it.
document.addEventListener("toggle", ({ target }) => {
  const best = target.open && target.querySelector(".chunk-text mark");
  if (best) best.parentElement.scrollTop = best.offsetTop - best.parentElement.offsetTop;
}, true);

// Filters that are swapped stay where they were scrolled to.
let scrolled = 0;
document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => { scrolled = detail.target.scrollTop; });
document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
  const rows = document.getElementById(detail.target.id);
  if (rows) rows.scrollTop = scrolled;
});

// A button copies the text that it names.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
});

// A choice that is made often is made again, unless the address says another.
for (const choice of document.querySelectorAll("select[data-remember]")) {
  const key = choice.dataset.remember;
  const kept = localStorage.getItem(key);
  const asked = new URLSearchParams(location.search).has(choice.name);
  if (!asked && [...choice.options].some((option) => option.value === kept)) choice.value = kept;
  choice.addEventListener("change", () => localStorage.setItem(key, choice.value));
}

// A slider and its field show the same number.
document.addEventListener("input", (event) => {
  const twin = document.getElementById(event.target.dataset.twin);
  if (twin) twin.value = event.target.value;
});
