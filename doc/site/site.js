// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
const root = document.body.dataset.root;
const words = text => text.toLowerCase().split(/[\s/]+/).filter(Boolean);
const escaped = text => text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// Light and dark: what the system says, until the button is pressed.
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch (e) { /* files without storage */ }
});

const pages = document.getElementById("pages"), menu = document.getElementById("menu");
menu.addEventListener("click", () => menu.setAttribute("aria-expanded", pages.classList.toggle("open")));
const current = pages.querySelector("[aria-current]");
if (current && current.offsetTop > pages.clientHeight)
  pages.scrollTop = current.offsetTop - pages.clientHeight / 2;

// Search: every word must be in the title, the place or the text; titles count most. The index is loaded when first needed.
const field = document.getElementById("search"), found = document.getElementById("found");
let loading = null;
const load = () => loading = loading || new Promise(resolve => {
  const script = document.createElement("script");
  script.src = root + "index.js";
  script.onload = resolve;
  document.head.append(script);
});
function search(text) {
  const wanted = words(text), results = [];
  for (const [title, place, url, more] of window.moreauIndex) {
    const [a, b, c] = [title.toLowerCase(), place.toLowerCase(), more.toLowerCase()];
    let points = 0;
    for (const word of wanted) {
      const here = a === word ? 50 : a.startsWith(word) ? 20 : a.includes(word) ? 12 : b.includes(word) ? 4 :
        c.includes(word) ? 1 : 0;
      if (!here) { points = 0; break; }
      points += here;
    }
    if (!points)
      continue;
    points += a === wanted.join(" ") ? 100 : 0;
    points += place.startsWith("parameter") ? 8 : place === "page" || place === "Python" ? 4 : 0;
    results.push([points - title.length / 100, title, place, url, more]);
  }
  return results.sort((x, y) => y[0] - x[0]).slice(0, 30);
}
const pattern = word => escaped(word).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
function marked(text, wanted) {
  let result = escaped(text);
  for (const word of wanted)
    result = result.replace(new RegExp(`(${pattern(word)})(?![^<]*>|[^&\\s]*;)`, "gi"), "<mark>$1</mark>");
  return result;
}
function excerpt(text, wanted) {
  const at = Math.max(0, ...wanted.map(word => text.toLowerCase().indexOf(word)));
  const begin = Math.max(0, at - 60);
  return (begin ? "… " : "") + text.slice(begin, begin + 160) + (begin + 160 < text.length ? " …" : "");
}
async function show() {
  const wanted = words(field.value);
  if (!wanted.length) { found.hidden = true; return; }
  await load();
  const results = search(field.value);
  found.innerHTML = results.map(([, title, place, url, more]) =>
    `<a role="option" href="${root}${url}">${marked(title, wanted)}<em>${escaped(place)}</em>` +
    `<small>${marked(excerpt(more, wanted), wanted)}</small></a>`)
    .join("") || "<p>Nothing is found. Every word must occur; fewer words find more.</p>";
  found.hidden = false;
}
field.addEventListener("focus", load);
field.addEventListener("input", show);
field.addEventListener("keydown", event => {
  const links = [...found.querySelectorAll("a")], at = links.findIndex(a => a.classList.contains("here"));
  if (event.key === "Escape") { field.blur(); found.hidden = true; }
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const next = Math.min(links.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)));
    links.forEach((a, k) => a.classList.toggle("here", k === next));
    if (links[next]) links[next].scrollIntoView({ block: "nearest" });
  } else if (event.key === "Enter" && links.length)
    location.href = links[Math.max(0, at)].href;
});
document.addEventListener("click", event => { if (!event.target.closest(".search")) found.hidden = true; });
document.addEventListener("keydown", event => {
  if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    field.focus();
  }
});

// The manual: which parameters are shown.
const filter = document.getElementById("filter");
if (filter) {
  const text = filter.querySelector("input"), problem = filter.querySelector("select");
  const count = filter.querySelector("output");
  const all = [...document.querySelectorAll(".parameter")];
  const update = () => {
    const wanted = words(text.value);
    let n = 0;
    for (const entry of all) {
      const here = (!problem || !problem.value || entry.dataset.problems.split("|").includes(problem.value)) &&
        wanted.every(word => entry.textContent.toLowerCase().includes(word));
      entry.classList.toggle("empty", !here);
      n += here;
    }
    for (const section of document.querySelectorAll(".section"))
      section.classList.toggle("empty", !section.querySelector(".parameter:not(.empty)"));
    count.textContent = n === all.length ? `${n} parameters` : `${n} of ${all.length} parameters`;
  };
  text.addEventListener("input", update);
  if (problem) problem.addEventListener("change", update);
  update();
}

for (const block of document.querySelectorAll("main pre:not(.formula)")) {
  if (!navigator.clipboard || block.closest(".entry")) continue;
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "copy";
  button.addEventListener("click", () => navigator.clipboard.writeText(block.querySelector("code").textContent)
    .then(() => { button.textContent = "copied"; setTimeout(() => button.textContent = "copy", 1500); }));
  block.append(button);
}

const places = [...document.querySelectorAll("aside a")];
if (places.length && window.IntersectionObserver) {
  const headings = places.map(a => document.getElementById(decodeURIComponent(a.hash.slice(1))));
  const here = () => {
    let k = headings.findIndex(h => h && h.getBoundingClientRect().top > 120);
    k = k < 0 ? headings.length - 1 : Math.max(0, k - 1);
    places.forEach((a, i) => a.classList.toggle("here", i === k));
  };
  addEventListener("scroll", here, { passive: true });
  here();
}
