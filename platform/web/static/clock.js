// clock.js lets time pass on an open page as it passes on the server, whose clock may be
// faster than a watch: <time data-live-time data-speed="600">. It moves the clock at the top,
// says of a due time (.clock[data-due], in ms) when it is near or late, and counts down what
// is offered for a while: <… data-left="8.5"> in real seconds, until <button>s in it are not to
// be pressed any more. Without it the page says the same with a time and a day.
"use strict";
(() => {
  const top = document.querySelector("time[data-live-time]"), d = top?.dataset || {};
  const speed = Number(d.speed) || 1;
  const trip = performance.getEntriesByType("navigation")[0];
  const asked = trip?.requestStart || 0; // the page was made after that, so that nothing is offered for too long
  let at = Date.parse(top?.dateTime || ""), since = trip?.responseStart || 0;
  const now = () => at + (performance.now() - since) * speed;

  // ---- the clock, while the page is live: otherwise it says how old the page is
  const status = top?.closest("[data-live-status]");
  const months = (d.months || "").split("|");
  let zoned = null;
  try {
    const how = { timeZone: d.zone, day: "numeric", month: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    zoned = new Intl.DateTimeFormat("en-GB", how);
  } catch { /* a zone that this browser does not know */ }
  function turn() {
    if (!zoned || status?.dataset.state !== "live") return;
    const part = Object.fromEntries(zoned.formatToParts(now()).map((p) => [p.type, p.value]));
    const text = `${part.day} ${months[part.month - 1]} ${part.hour}:${part.minute} ${d.zoneLabel}`;
    if (top.textContent === text) return;
    top.textContent = text;
    top.dateTime = new Date(now()).toISOString();
  }
  top?.addEventListener("gavel:beat", (e) => {
    at = Date.parse(e.detail.now);
    since = performance.now();
    d.zoneLabel = e.detail.label.split(" ").pop();
    turn();
  });

  // ---- due times
  const minute = 60000, hour = 60 * minute, day = 24 * hour;
  const say = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  function span(ms) {
    if (ms < hour) return say(d.textMinutes, { n: Math.max(1, Math.floor(ms / minute)) });
    return ms < 2 * day ? say(d.textHours, { n: Math.floor(ms / hour) }) : say(d.textDays, { n: Math.floor(ms / day) });
  }
  function due(el) {
    const left = Number(el.dataset.due) - now();
    const is = left < 0 ? "late" : left < hour ? "soon" : "";
    const text = say(is === "late" ? d.textLate : is === "soon" ? d.textSoon : d.textDue, { time: el.dataset.time, span: span(Math.abs(left)) });
    const words = el.querySelector("[data-due-text]");
    if (words.textContent !== text) words.textContent = text;
    if (is !== "late" || el.classList.contains("late")) return void el.classList.toggle("soon", is === "soon");
    el.classList.remove("soon");
    el.classList.add("late");
    const icon = document.querySelector("template[data-late-icon]")?.content.querySelector("svg");
    if (icon) el.querySelector("svg")?.replaceWith(icon.cloneNode(true));
  }

  // ---- what is offered for a while
  const first = new WeakMap(), here = new Set(document.querySelectorAll("[data-left]"));
  function began(el) {
    if (!first.has(el)) first.set(el, here.has(el) ? asked : Number(el.dataset.asked) || performance.now()); // live.js says when it asked
    return first.get(el);
  }
  function count(el) {
    const left = Number(el.dataset.left) - (performance.now() - began(el)) / 1000;
    const said = el.querySelector("[data-left-text]"), bar = el.querySelector("progress");
    if (left > 0) {
      const long = left > 120; // a countdown is for who hurries
      if (said) said.textContent = long ? say(said.dataset.leftMinutes, { n: Math.floor(left / 60) }) : say(said.dataset.leftText, { n: Math.ceil(left) });
      if (bar) bar.value = left;
    } else if (el.dataset.over === undefined) {
      el.dataset.over = "";
      if (el.dataset.leftGoes !== undefined && !el.contains(document.activeElement)) return void el.remove();
      el.querySelectorAll("button").forEach((b) => b.setAttribute("aria-disabled", "true")); // focus stays where it is
      if (said) said.textContent = el.dataset.leftOver || "";
      if (bar) bar.value = 0;
    }
  }
  document.addEventListener("submit", (e) => { if (e.target.dataset?.over !== undefined) e.preventDefault(); }, true);

  function tick() {
    document.querySelectorAll("[data-left]").forEach(count);
    if (!at) return;
    turn();
    if (d.textLate) document.querySelectorAll(".clock[data-due]").forEach(due);
  }
  tick();
  setInterval(tick, 250);
})();
