// live.js keeps open pages current.
//
// The server sends only "object X is now at version N". Regions with data-live="X"
// (or a prefix, "case_*") fetch data-src again, with If-None-Match, when N is newer
// than the data-version they show. Nothing is carried, so nothing can be lost: after
// any gap every region is fetched again. One tab of a browser holds the stream (a Web
// Lock) and tells the others (a BroadcastChannel); where those are missing, each
// visible tab holds its own. Without this script the page works and says how old it is.
"use strict";
(() => {
  const status = document.querySelector("[data-live-status]");
  if (!status) return; // nobody is signed in
  const name = status.dataset.liveName;
  const text = status.querySelector("[data-live-text]");
  const time = status.querySelector("[data-live-time]");
  const again = status.querySelector("[data-live-refresh]");
  const say = status.querySelector("[data-live-say]");
  const silence = 45000; // ms; three beats
  let heard = Date.now(), state = "made", channel = null, source = null, tries = 0, retry = 0;

  // ---- the words at the top of the page: wait, live or lost, and since when
  function show(next) {
    if (next === state) return;
    state = next;
    status.dataset.state = next;
    text.textContent = status.dataset["text" + next[0].toUpperCase() + next.slice(1)];
    again.hidden = next !== "lost";
  }
  function beat(m) {
    heard = Date.now();
    show(m.live ? "live" : "lost");
    if (m.live) time.dispatchEvent(new CustomEvent("gavel:beat", { detail: m })); // clock.js sets itself by it
  }
  setInterval(() => { if (Date.now() - heard > silence) show("lost"); }, 5000);

  // ---- regions
  const wanted = new Map(), slow = new Map(); // object -> newest version heard of; data-src -> timer
  const stale = new Set(), busy = new Set(), more = new Set(); // by data-src
  const regions = () => [...document.querySelectorAll("[data-live][data-src]")];
  const bySrc = (src) => regions().find((el) => el.dataset.src === src);
  const typedIn = (el) => [...el.querySelectorAll("textarea, input:not([type=hidden]), select")].some((f) =>
    f.dataset.kept !== undefined || (f.type === "checkbox" || f.type === "radio" ? f.checked !== f.defaultChecked
      : f.tagName === "SELECT" ? [...f.options].some((o) => o.selected !== o.defaultSelected) : f.value !== f.defaultValue));

  const rows = (el) => [...el.querySelectorAll("[id]")].map((r) => r.id).join();

  function mark(src) {
    stale.add(src);
    if (!document.hidden) refresh(src);
  }
  function notice(m) {
    wanted.set(m.object, Math.max(m.version, wanted.get(m.object) || 0));
    for (const { dataset: d } of regions()) {
      if (d.live === m.object && Number(d.version) < m.version) mark(d.src);
      else if (d.live.endsWith("*") && m.object.startsWith(d.live.slice(0, -1)) && !slow.has(d.src)) {
        slow.set(d.src, setTimeout(() => { slow.delete(d.src); mark(d.src); }, 1000)); // a list: once a second is enough
      }
    }
  }
  function resync() { // spread out, so that a restarted server is not met by everybody at once
    setTimeout(() => regions().forEach((el) => mark(el.dataset.src)), Math.random() * 800);
  }
  async function refresh(src) {
    if (busy.has(src)) return void more.add(src);
    busy.add(src);
    try {
      const el = bySrc(src);
      if (!el) return void stale.delete(src);
      const headers = { "Gavel-Region": "1" }, asked = performance.now();
      if (el.dataset.etag) headers["If-None-Match"] = el.dataset.etag;
      const res = await fetch(src, { headers, cache: "no-store", redirect: "error", credentials: "same-origin" });
      if (res.status >= 500 || res.status === 401 || res.status === 429) throw new Error(String(res.status));
      stale.delete(src);
      if (res.status === 304) el.dataset.version = String(Math.max(Number(el.dataset.version), wanted.get(el.dataset.live) || 0));
      else swap(el, await res.text(), asked);
    } catch {
      setTimeout(() => { if (stale.has(src) && !document.hidden) refresh(src); }, 3000 + Math.random() * 4000);
    } finally {
      busy.delete(src);
      if (more.delete(src)) refresh(src);
    }
  }
  function swap(el, html, asked) {
    const fresh = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
    if (!fresh) return;
    fresh.querySelectorAll("[data-left]").forEach((o) => { o.dataset.asked = asked; }); // clock.js counts from then
    const d = el.dataset;
    if (d.liveHold !== undefined && (el.matches(":hover") || el.contains(document.activeElement)) && rows(el) !== rows(fresh)) {
      const bar = document.querySelector("[data-live-held]"); // rows never move under a pointer
      if (bar) bar.hidden = false;
      stale.add(d.src);
      return void el.addEventListener("mouseleave", () => refresh(d.src), { once: true });
    }
    if (typedIn(el)) { // what somebody is writing is never thrown away
      d.version = fresh.dataset.version || d.version;
    } else {
      const focus = el.contains(document.activeElement) ? document.activeElement.id : "";
      const open = [...el.querySelectorAll("details[id][open]")].map((o) => o.id);
      el.replaceWith(fresh);
      open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
      if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
      window.htmx?.process(fresh);
    }
    if (fresh.dataset.version) { // a form acts on the version its reader has seen
      document.querySelectorAll(`[data-version-of="${CSS.escape(d.live)}"]`).forEach((f) => { f.value = fresh.dataset.version; });
    }
    recorded(fresh);
    if (fresh.dataset.liveAnnounce !== undefined) say.textContent = status.dataset.textChanged;
  }

  // ---- words that are still being written: shown as such, gone once they are on record
  function words(m) {
    const el = document.querySelector(`[data-words="${CSS.escape(m.run)}"]`), d = el?.dataset;
    if (!el || m.seq <= Number(d.wordsSeq)) return;
    const into = el.querySelector("[data-words-text]"), now = `${m.seq} ${m.try}`;
    if (d.wordsNow !== now) {
      const [seq, at] = (d.wordsNow || "-1 0").split(" ").map(Number);
      if (m.seq < seq || (m.seq === seq && m.try < at)) return; // of an attempt that was given up
      d.wordsNow = now;
      d.wordsNext = "0";
      into.textContent = "";
    }
    if (m.n < Number(d.wordsNext)) return;
    into.append((m.n > Number(d.wordsNext) ? "… " : "") + m.text);
    d.wordsNext = String(m.n + 1);
    el.hidden = false;
  }
  function recorded(fresh) {
    fresh.querySelectorAll("[data-words-of]").forEach((r) => {
      const el = document.querySelector(`[data-words="${CSS.escape(r.dataset.wordsOf)}"]`);
      if (!el) return;
      el.dataset.wordsSeq = r.dataset.seq;
      if (Number((el.dataset.wordsNow || "-1").split(" ")[0]) <= Number(r.dataset.seq)) el.hidden = true;
    });
  }

  // ---- the stream
  function receive(m) {
    if (m.kind === "beat") beat(m);
    else if (m.kind === "notice") notice(m);
    else if (m.kind === "words") words(m);
    else if (m.kind === "resync") resync();
    else if (m.kind === "wait") show("wait");
    else if (m.kind === "ask" && source && state === "live") tell({ kind: "beat", live: true, label: time.textContent, now: time.dateTime });
  }
  function tell(m) {
    channel?.postMessage(m);
    if (m.kind !== "ask") receive(m);
  }
  function connect() {
    clearTimeout(retry);
    source?.close();
    source = new EventSource("/live");
    const on = (event, kind) => source.addEventListener(event, (e) => tell({ ...JSON.parse(e.data), kind }));
    on("beat", "beat");
    on("resync", "resync");
    on("words", "words");
    on("message", "notice");
    source.onopen = () => {
      tell({ kind: "resync" }); // what was said before, or in between, is unknown
      tries = 0;
    };
    source.onerror = () => {
      tries++;
      tell({ kind: "wait" });
      if (source.readyState === EventSource.CLOSED) { // refused: the browser will not try again by itself
        retry = setTimeout(connect, Math.min(30000, 1000 * 2 ** Math.min(tries, 5)) * (0.5 + Math.random()));
      }
    };
  }
  function alone() { // no way to share: only a tab that is looked at holds a stream
    const turn = () => {
      if (document.hidden) { source?.close(); source = null; } else if (!source) connect();
    };
    document.addEventListener("visibilitychange", turn);
    turn();
  }

  document.addEventListener("visibilitychange", () => { if (!document.hidden) [...stale].forEach(refresh); });
  document.addEventListener("gavel:refresh", () => regions().forEach((el) => mark(el.dataset.src))); // after a form was sent
  window.addEventListener("pageshow", (e) => { if (e.persisted) resync(); });
  show("wait");
  if (navigator.locks && window.BroadcastChannel) {
    channel = new BroadcastChannel(name);
    channel.onmessage = (e) => receive(e.data);
    let followed = true;
    navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (!lock) return undefined;
      followed = false;
      connect();
      return new Promise(() => {}); // held until the tab is closed
    }).then(() => {
      if (!followed) return undefined;
      channel.postMessage({ kind: "ask" });
      resync();
      return navigator.locks.request(name, () => { connect(); return new Promise(() => {}); });
    }).catch(alone);
  } else {
    alone();
  }
})();
