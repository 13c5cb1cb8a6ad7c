// screen.js is how a screen is built: elements, icons, and the parts that several screens have.
import { T, other, otherLang, time } from "./words.js";

// h is an element with attributes, handlers and children.
export function h(tag, attrs = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) {
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (value === true) el.setAttribute(name, "");
    else if (value !== false && value != null) el.setAttribute(name, value);
  }
  el.append(...children.flat().filter((c) => c != null && c !== false));
  return el;
}

// icon is one of the page's own drawings.
export const icon = (name) => document.getElementById(`i-${name}`).content.firstElementChild.cloneNode(true);

export const button = (words, on, { kind = "", sign, id } = {}) =>
  h("button", { type: "button", class: `btn btn-xl ${kind}`.trim(), onclick: on, id }, sign && icon(sign), words);

// show puts a screen in the place of the one before, and the focus on it.
export function show(kind, ...parts) {
  const main = document.getElementById("main");
  main.className = `kiosk ${kind}`;
  main.replaceChildren(...parts.filter(Boolean));
  main.focus();
}

const looks = { out: ["says-go", "check"], in: ["says-go", "check"], ask: ["says-ask", "warn"], stop: ["says-stop", "stop"] };

// answer is the verdict in a word, with its sign and colour, and why, in both languages.
export function answer(word, reason, places = {}) {
  const [kind, sign] = looks[word];
  const why = (say) => reason ? say(`why.${reason}`, places) : "";
  return { kind, part: h("div", { class: "gate-answer", role: word === "stop" ? "alert" : "status", id: "answer", "data-word": word, "data-reason": reason },
    icon(sign), h("p", { class: "gate-word" }, T(`word.${word}`)), reason && h("p", { class: "gate-why" }, why(T)),
    h("p", { lang: otherLang() }, [other(`word.${word}`), why(other)].filter(Boolean).join(": "))) };
}

// holder is whom the pass is about, as little as the gate needs.
export function holder(e, word, late) {
  if (!e) return null;
  const until = word === "out" ? e.r ? T("back_by", { time: time(e.due) }) : T("valid", { time: time(e.ex) }) : late ? T("late") : "";
  const face = e.photo ? h("img", { class: "gate-photo", src: e.photo, alt: T("photo_of", { name: e.name }) }) : h("div", { class: "gate-photo none" }, icon("person"));
  return h("section", { class: "gate-holder" }, face, h("div", {}, h("h1", {}, e.name), h("p", { class: "mono" }, e.n), until && h("p", {}, h("b", {}, until))));
}

// items is what goes along, or what is to come back, to be ticked.
export function items(e, word) {
  const listed = (e?.items ?? []).filter((it) => word === "out" || it.open > 0);
  if (!listed.length || word === "stop") return null;
  return h("fieldset", { class: "gate-items" }, h("legend", {}, T(word === "out" ? "tick_out" : "tick_back")), listed.map((it) =>
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "item", value: it.id }),
      h("span", {}, `${it.name} `, it.serial && h("span", { class: "mono" }, it.serial), (word === "out" ? it.qty : it.open) !== 1 && ` × ${word === "out" ? it.qty : it.open}`))));
}
