// The page works without this script. The script extends, filters and reloads a list in place, and
// keeps the current content if the server cannot be reached.

const parser = new DOMParser();
const main = document.getElementById("main");
const find = (selector, root = document) => root.querySelector(selector);

/** A page of the server, whose scripts do not run. Rejects without a response. */
async function load(address, signal) {
  const response = await fetch(address, { headers: { accept: "text/html" }, signal });
  const page = parser.parseFromString(await response.text(), "text/html");
  if (!find("main", page)) throw new Error(`no page at ${response.url}`);
  return { page, isWhole: response.ok };
}

/** Replaces the content of an element by a copy of the one with the same id in another page. */
function replace(id, page) {
  const [here, there] = [document.getElementById(id), page.getElementById(id)];
  if (!here || !there) return;
  here.replaceChildren(...Array.from(there.childNodes, (node) => document.importNode(node, true)));
}

/** Announces a text to screen readers, even if it equals the last one. */
function tell(text) {
  const status = document.getElementById("status");
  status.textContent = "";
  requestAnimationFrame(() => (status.textContent = text));
}

function warn(text) {
  const paragraph = document.createElement("p");
  const strong = document.createElement("strong");
  strong.textContent = text;
  paragraph.append(strong);
  document.getElementById("alert")?.replaceChildren(paragraph);
}

/** Shows why nothing was loaded: the server's message, or that it did not respond. */
function explain(answer) {
  if (!answer) return warn(main.dataset.offline);
  replace("alert", answer.page);
}

/** Runs one load at a time; further requests are ignored meanwhile. The work may return a new
    title of the link. */
async function whileBusy(link, work) {
  if (link.getAttribute("aria-disabled") === "true") return;
  let title = link.textContent;
  link.setAttribute("aria-disabled", "true");
  link.textContent = main.dataset.loading;
  tell(main.dataset.loading);
  try {
    title = (await unlessOutdated(work)) ?? title;
  } finally {
    link.textContent = title;
    link.removeAttribute("aria-disabled");
  }
}

async function answerOf(address, signal) {
  try {
    return await load(address, signal);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}

let asking;

/** Requests a list and aborts the previous request, which was for another list. */
function ask(address) {
  asking?.abort();
  asking = new AbortController();
  return answerOf(address, asking.signal);
}

/** Ignores the abort of work whose request was replaced by a newer one. */
async function unlessOutdated(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

/** Shows the list of a page, and the elements that depend on it. */
function show(page) {
  replace("alert", page);
  replace("list", page);
  replace("condition-kept", page);
  const refresh = page.getElementById("refresh");
  if (refresh) document.getElementById("refresh").href = refresh.getAttribute("href");
  watchPictures();
}

async function refresh(link) {
  await whileBusy(link, async () => {
    const answer = await ask(link.href);
    if (!answer?.isWhole) return explain(answer);
    show(answer.page);
    tell(find("#list .quiet")?.textContent.trim() ?? "");
  });
}

async function loadMore(link) {
  await whileBusy(link, async () => {
    const answer = await ask(link.href);
    if (!answer?.isWhole) {
      explain(answer);
      // The link's target no longer exists; the page states where to continue.
      if (answer) replace("further", answer.page);
      return;
    }
    const items = document.getElementById("items");
    const added = Array.from(answer.page.querySelectorAll("#items > li, #items > tr"), (item) =>
      document.importNode(item, true));
    if (items) items.append(...added);
    else if (added.length > 0) return show(answer.page);
    const outcome = answer.page.getElementById("outcome");
    replace("alert", answer.page);
    replace("outcome", answer.page);
    const more = answer.page.getElementById("more");
    if (more) link.href = more.getAttribute("href");
    else link.remove();
    watchPictures();
    tell(`${outcome.dataset.added} ${outcome.textContent}`.trim());
    if (added.length > 0) find("a", added[0])?.focus({ preventScroll: true });
    return more?.textContent;
  });
}

async function filter(form) {
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (value.trim()) address.searchParams.append(name, value.trim());
  }
  await unlessOutdated(async () => {
    const answer = await ask(address);
    if (!answer?.isWhole) return explain(answer);
    history.replaceState(null, "", address);
    show(answer.page);
    const list = document.getElementById("list");
    tell(`${find("#outcome", list).dataset.added} ${find("#outcome", list).textContent}`.trim());
  });
}

/** Copies the JSON of a record, as it was stored. */
async function copy(button) {
  const response = await fetch(button.dataset.json);
  if (!response.ok) throw new Error(`no record at ${response.url}`);
  await navigator.clipboard.writeText(await response.text());
  button.textContent = button.dataset.done;
  tell(button.dataset.done);
}

/** A picture that fails to load shows its text in an empty frame. */
function watchPictures() {
  for (const image of document.querySelectorAll(".picture:not(.missing) img")) {
    const lose = () => image.parentElement.classList.add("missing");
    if (image.complete && image.naturalWidth === 0 && image.currentSrc) lose();
    else image.addEventListener("error", lose, { once: true });
  }
}

document.addEventListener("click", (event) => {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest("#more, #refresh");
  if (!link) return;
  event.preventDefault();
  if (link.id === "more") loadMore(link);
  else refresh(link);
});

const form = document.getElementById("filter");
if (form) {
  let pause;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(pause);
    filter(form);
  });
  form.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(filter, 250, form);
  });
}

// Only a secure context has a clipboard.
const copier = document.getElementById("copy");
if (copier && navigator.clipboard) {
  copier.parentElement.hidden = false;
  copier.addEventListener("click", () => copy(copier).catch(() => warn(main.dataset.offline)));
}

watchPictures();
