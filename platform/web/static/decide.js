// decide.js helps on a page that asks for a decision: <script data-opened="/address">.
// It puts the cursor into the reason without moving the page, and tells the server for
// how long the page was before somebody's eyes and which of its folds were open: seconds
// in which it is visible, sent now and then. Nothing waits for it, and the page works
// without it.
"use strict";
(() => {
  document.querySelector("#decide textarea")?.focus({ preventScroll: true });
  const to = document.currentScript.dataset.opened;
  if (!to) return; // it is decided
  const counts = new Map();
  function send() {
    for (const [what, seconds] of counts) {
      fetch(to, { method: "POST", keepalive: true, credentials: "same-origin", body: new URLSearchParams({ what, seconds }) }).catch(() => {});
    }
    counts.clear();
  }
  const count = (what) => counts.set(what, (counts.get(what) || 0) + 1);
  setInterval(() => {
    if (document.hidden) return;
    count("page");
    document.querySelectorAll("main details[id][open]").forEach((d) => count("fold:" + d.id.slice(0, 30)));
    if (counts.get("page") >= 15) send();
  }, 1000);
  document.addEventListener("visibilitychange", () => { if (document.hidden) send(); });
  document.addEventListener("submit", send);
  window.addEventListener("pagehide", send);
})();
