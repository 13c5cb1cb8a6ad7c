// main.js is the app at a gate, screen by screen: the camera, the verdict, the photo, and back. gate.js knows and does; this shows.
import { Camera, shrunk } from "./camera.js";
import { Gate } from "./gate.js";
import { answer, button, h, holder, icon, items, show } from "./screen.js";
import { tell } from "./sound.js";
import { T, other, otherLang, speak, spoken } from "./words.js";

const gate = new Gate();
const video = h("video", { playsinline: true, muted: true, "aria-hidden": "true" });
video.muted = true;
const camera = new Camera(video);
const again = 3000; // ms in which the same code is one look
const away = 30_000; // ms after which what is shown of somebody is gone
let seen = { text: "", at: 0 }, leave = 0, last = null, screen = "";

// top is the line above every screen: which gate, who is on shift, and whether the server answers.
function top() {
  const state = gate.online && !gate.signedOut ? "on" : "lost";
  return h("header", { class: "kiosk-top" },
    h("span", { class: "kiosk-gate" }, icon("pass"), h("b", {}, gate.station?.gate_id || gate.station?.device || T("title")), gate.guard ? ` · ${gate.guard.name}` : ""),
    h("span", { class: "live", id: "net", "data-state": state, role: "status" }, h("span", { id: "net-words" }, net())));
}

const net = () => [gate.online ? T("online") : T("offline"), gate.waiting ? T("waiting", { n: gate.waiting }) : ""].filter(Boolean).join(", ");

// goTo shows a screen, and leaves it by itself where it shows somebody.
function goTo(name, kind, parts, { shy = true } = {}) {
  clearTimeout(leave);
  screen = name;
  if (name !== "scan") camera.stop();
  show(kind, top(), ...parts);
  document.getElementById("main").dataset.screen = name;
  if (shy) leave = setTimeout(scan, away);
}

// scan is the screen that everything begins with and comes back to.
async function scan() {
  const turn = gate.turn ? T("turn", gate.turn) : "";
  const finder = h("div", { class: "viewfinder" }, video, h("span", { class: "aim", "aria-hidden": "true" }), h("p", { id: "hint" }, T("hold")));
  goTo("scan", "scan", [
    h("h1", { class: "kiosk-ask" }, T("scan"), h("span", { lang: otherLang() }, other("scan"))),
    finder,
    gate.signedOut && h("p", { class: "kiosk-note", role: "alert" }, T("signed_out"), " ", h("a", { href: "/device" }, T("sign_in"))),
    h("nav", { class: "kiosk-tools", "aria-label": T("other_ways") },
      tool("torch", async () => { if (!await camera.torch()) hint(T("no_torch")); }), tool("flip", () => camera.flip()),
      tool("type", typing), tool("find", finding)),
    h("p", { class: "kiosk-last", id: "last" }, [last && T(`last_${last.word}`, last), turn].filter(Boolean).join(" · ")),
    h("nav", { class: "kiosk-foot", "aria-label": T("settings") },
      h("button", { type: "button", class: "btn", id: "lang", lang: otherLang(), onclick: () => { speak(otherLang()); scan(); } }, other("language")),
      h("button", { type: "button", class: "btn", id: "night", onclick: night }, T(dark() ? "day" : "night")),
      h("button", { type: "button", class: "btn", id: "shift", onclick: shift }, T("shift"))),
  ], { shy: false });
  if (!camera.stream && !await camera.open()) return hint(T("no_camera"));
  if (screen === "scan") camera.look(met);
}

const hint = (text) => { const el = document.getElementById("hint"); if (el) el.textContent = text; };
const tool = (name, on) => h("button", { type: "button", id: name, onclick: on }, icon(name), T(name));

// met is a code before the camera. The same one is one look for a while.
function met(text) {
  const now = Date.now();
  if (text === seen.text && now - seen.at < again) {
    seen.at = now;
    return;
  }
  seen = { text, at: now };
  look(text);
}

async function look(text) {
  camera.stop();
  verdict(await gate.look(text));
}

// verdict is the answer in a word, whom it is about, and what can be done.
function verdict(found) {
  const { word, reason, entry, late } = found;
  tell(word);
  const { kind, part } = answer(word, reason, { time: "" });
  const may = word === "out" || word === "in";
  goTo("verdict", kind, [part, holder(entry, word, late), items(entry, word),
    h("div", { class: "kiosk-act" },
      may && button(T(`photo_${word}`), () => photo(found, ticked(entry, word)), { kind: "btn-go", sign: "camera", id: "take" }),
      button(T(may ? "not_this" : "back_to_camera"), scan, { id: "back" })),
    found.alone && h("p", { class: "kiosk-last" }, T("alone"))]);
}

// ticked is what was ticked of a pass's items, and what was not.
function ticked(entry, word) {
  const on = new Set([...document.querySelectorAll("input[name=item]:checked")].map((el) => el.value));
  const listed = (entry?.items ?? []).filter((it) => word === "out" || it.open > 0);
  return { back: word === "in" ? listed.filter((it) => on.has(it.id)) : [], missing: listed.filter((it) => !on.has(it.id)) };
}

// photo is the camera again, in the same view; what is missing is asked about first.
async function photo(found, marked, sure = false) {
  if (marked.missing.length && !sure) {
    tell("ask");
    const { kind, part } = answer("ask", found.word === "out" ? "not_ticked_out" : "not_ticked_back", { items: marked.missing.map((it) => it.name).join(", ") });
    return goTo("ask", kind, [part, holder(found.entry, found.word), h("div", { class: "kiosk-act" },
      button(T(`stays_open_${found.word}`), () => photo(found, marked, true), { kind: "btn-ask", id: "open" }), button(T("tick_again"), () => verdict(found), { id: "back" }))]);
  }
  const live = h("div", { class: "viewfinder" }, video);
  const chosen = h("input", { type: "file", accept: "image/*", capture: "environment", class: "sr", id: "file", "aria-label": T("choose_photo"), onchange: async () => {
    if (!chosen.files[0]) return;
    const picture = await createImageBitmap(chosen.files[0]);
    confirm(found, marked, await shrunk(picture, picture.width, picture.height));
  } });
  goTo("photo", "scan", [h("h1", { class: "kiosk-ask" }, T("photo_title", { name: found.entry.name })), live,
    h("div", { class: "kiosk-act" }, button(T("shoot"), async () => confirm(found, marked, await camera.photo()), { kind: "btn-go", sign: "camera", id: "shoot" }), chosen,
      button(T("not_this"), scan, { id: "back" }))], { shy: false });
  if (!camera.stream && !await camera.open()) {
    document.getElementById("shoot").replaceWith(h("label", { class: "btn btn-xl btn-go", for: "file" }, icon("camera"), T("choose_photo")));
  }
}

// confirm shows the photo, and lets the person through.
function confirm(found, marked, taken) {
  const at = URL.createObjectURL(taken);
  const go = button(T(`confirm_${found.word}`), async () => {
    go.disabled = true;
    const was = await gate.pass(found, taken, marked.back);
    URL.revokeObjectURL(at);
    if (was.word !== "done") return verdict({ ...was, text: found.text });
    done(found, was.alone);
  }, { kind: "btn-go", sign: "check", id: "confirm" });
  goTo("confirm", "scan", [h("h1", { class: "kiosk-ask" }, found.entry.name), h("img", { class: "gate-taken", src: at, "data-bytes": taken.size, alt: T("photo_of", { name: found.entry.name }) }),
    h("div", { class: "kiosk-act" }, go, button(T("retake"), () => photo(found, marked, true), { id: "retake" }))], { shy: false });
}

// done is the end for two seconds, and then the camera for the next.
function done(found, alone) {
  const moment = new Date().toLocaleTimeString("en-IN", { hour: "2-digit", minute: "2-digit", hour12: false });
  last = { word: found.word, name: found.entry.name, time: moment };
  tell(found.word);
  const { kind, part } = answer(found.word, "");
  goTo("done", kind, [part, h("h1", { class: "kiosk-ask" }, T(`done_${found.word}`, { name: found.entry.name })), alone && h("p", { class: "kiosk-last", id: "saved" }, T("saved")),
    h("div", { class: "kiosk-act" }, button(T("back_to_camera"), scan, { id: "back" }))], { shy: false });
  leave = setTimeout(scan, 2000);
  gate.sync();
}

function typing() {
  const field = h("input", { id: "code", name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: "400" });
  goTo("typing", "scan", [h("h1", { class: "kiosk-ask" }, T("type")),
    h("form", { class: "kiosk-form", onsubmit: (e) => { e.preventDefault(); if (field.value.trim()) look(field.value); } },
      h("label", { for: "code" }, T("code_label")), field, h("button", { class: "btn btn-xl btn-go", id: "go" }, T("look"))),
    h("div", { class: "kiosk-act" }, button(T("back_to_camera"), scan, { id: "back" }))], { shy: false });
  field.focus();
}

function finding() {
  const field = h("input", { id: "name", name: "name", type: "search", autocomplete: "off", maxlength: "80" }), found = h("ul", { class: "gate-found", id: "found" });
  const none = h("p", { class: "kiosk-last", role: "status" });
  field.addEventListener("input", () => {
    const all = gate.find(field.value);
    none.textContent = field.value.trim().length > 1 && !all.length ? T("nobody") : "";
    found.replaceChildren(...all.map((e) => h("li", {}, h("button", { type: "button", class: "btn btn-xl", onclick: () => look(e.n) }, e.name, h("span", { class: "mono" }, e.n)))));
  });
  goTo("finding", "scan", [h("h1", { class: "kiosk-ask" }, T("find")), h("div", { class: "kiosk-form" }, h("label", { for: "name" }, T("name_label")), field), found, none,
    h("div", { class: "kiosk-act" }, button(T("back_to_camera"), scan, { id: "back" }))]);
  field.focus();
}

// shift is the end of one: what it was in numbers, and what the next guard finds.
async function shift() {
  await gate.sync();
  const t = gate.turn ?? { out: 0, back: 0, still_out: 0 };
  goTo("shift", "scan", [h("h1", { class: "kiosk-ask" }, T("shift")),
    h("p", { class: "kiosk-sum", id: "sum" }, T("shift_sum", t)),
    gate.waiting ? h("p", { class: "kiosk-note", role: "status" }, T("shift_waiting", { n: gate.waiting })) : h("p", { class: "kiosk-last" }, T("shift_sent")),
    h("form", { class: "kiosk-act", method: "post", action: "/sign-out" }, h("button", { class: "btn btn-xl btn-go", id: "end" }, T("shift_end")),
      button(T("back_to_camera"), scan, { id: "back" }))], { shy: false });
}

const dark = () => document.documentElement.dataset.theme === "dark";

function night() {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  localStorage.setItem("gate-theme", document.documentElement.dataset.theme);
  scan();
}

gate.addEventListener("change", () => {
  const words = document.getElementById("net-words");
  if (!words) return;
  words.textContent = net();
  document.getElementById("net").dataset.state = gate.online && !gate.signedOut ? "on" : "lost";
});

// begin opens what the device remembers, and the camera; the network may come or not.
async function begin() {
  document.documentElement.dataset.theme = localStorage.getItem("gate-theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  speak(spoken());
  await gate.wake();
  scan();
  navigator.serviceWorker?.register("/gatepass/gate/worker.js", { scope: "/gatepass/gate", type: "classic" });
  navigator.storage?.persist?.();
  navigator.wakeLock?.request("screen").catch(() => {});
  await gate.sync();
  if (screen === "scan") scan();
  setInterval(() => gate.sync(), 30_000);
  addEventListener("online", () => gate.sync());
  document.documentElement.dataset.ready = "yes";
}

begin();
