// words.js is what the app says, in the language that the guard chose. The server puts both languages into the page, so that
// they are there without a network.

const all = JSON.parse(document.getElementById("words").textContent);
let lang = localStorage.getItem("gate-lang") || document.documentElement.lang || "en";
if (!all[lang]) lang = "en";
document.documentElement.lang = lang;

export const spoken = () => lang;

// speak changes the language of everything that is said from now on.
export function speak(next) {
  lang = next;
  localStorage.setItem("gate-lang", next);
  document.documentElement.lang = next;
}

// T is a text, with its places filled in.
export const T = (key, places = {}) => fill(all[lang][key] ?? key, places);

// other is the same text in the other language: words at a gate are said in both.
export const other = (key, places = {}) => fill(all[lang === "en" ? "hi" : "en"][key] ?? key, places);
export const otherLang = () => lang === "en" ? "hi" : "en";

const fill = (text, places) => text.replaceAll(/\{(\w+)\}/g, (_, name) => places[name] ?? "");

// time is a moment on the device's own clock and in its place: the hour, and the day where it is another one.
export function time(at) {
  const when = new Date(at), today = when.toDateString() === new Date().toDateString();
  return when.toLocaleString(lang === "hi" ? "hi-IN-u-nu-latn" : "en-IN", { hour: "2-digit", minute: "2-digit", hour12: false,
    ...today ? {} : { day: "numeric", month: "short" } });
}
