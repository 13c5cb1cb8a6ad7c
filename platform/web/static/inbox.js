// inbox.js gives the inbox its keys and keeps its small promises: <div data-inbox="keys">,
// or "no-keys" for who turned them off. Everything it does a link or a button does, too.
//
// A key that decides presses the button of what is open, never of a row that is only
// focused: nobody approves what is not before their eyes. What files something or is
// weighty has no button that a key may press.
"use strict";
(() => {
  const root = document.querySelector("[data-inbox]");
  if (!root) return;
  const one = (what) => document.querySelector(what);
  const rows = () => [...root.querySelectorAll(".split-list .item > a")].filter((a) => a.getClientRects().length);
  const focused = () => document.activeElement?.closest?.(".split-list .item");
  const pane = root.querySelector(".split-detail");
  const open = () => pane?.getClientRects().length ? root.querySelector(".item.is-open") : null; // a phone's list shows nothing open

  // ---- after a decision: say it, and keep the open row in sight
  const said = one("[data-say]");
  if (said?.dataset.say) setTimeout(() => { said.textContent = said.dataset.say; }, 150); // a region is heard when it changes
  if (open()?.getClientRects().length) open().scrollIntoView({ block: "nearest" });

  // ---- filters act when they are chosen; the button is for who has no script
  root.querySelectorAll("form[data-auto]").forEach((form) => {
    form.querySelectorAll("[data-auto-hide]").forEach((b) => { b.hidden = true; });
    form.addEventListener("change", () => form.requestSubmit());
  });

  // ---- several rows
  const note = one("[data-ticked]"), hint = note?.textContent;
  const ticked = () => document.querySelectorAll('input[name="pick"]:checked').length;
  document.addEventListener("change", (e) => {
    if (e.target.name === "pick" && note) note.textContent = ticked() ? note.dataset.ticked.replace("{n}", String(ticked())) : hint;
  });
  one("#bulk")?.addEventListener("submit", (e) => { if (!ticked()) e.preventDefault(); });

  // ---- keys
  if (root.dataset.inbox !== "keys") return;
  function move(by) {
    const all = rows(), at = all.findIndex((a) => a.parentElement === (focused() || open()));
    const to = all[at < 0 ? 0 : at + (focused() || by < 0 ? by : 1)];
    (to || all[by < 0 ? 0 : all.length - 1])?.focus();
  }
  function before() { // a row that is focused and not open is opened first
    const row = focused();
    if (!row || row === open()) return Boolean(open() || pane?.getClientRects().length);
    row.querySelector("a").click();
    return false;
  }
  const press = (key) => { if (before()) one(`#proposal-bar [data-answer="${key}"]`)?.click(); };
  function attend(field) {
    const fold = one("#attend"), to = one(field);
    if (!before() || !fold || !to) return;
    fold.open = true;
    to.focus();
  }
  const keys = {
    j: () => move(1), k: () => move(-1),
    a: () => press("approve"), e: () => press("edit"), b: () => press("send_back"), r: () => press("reject"),
    h: () => attend("#until"), d: () => attend("#assign-to"),
    x: () => (focused() || open())?.querySelector('input[name="pick"]')?.click(),
    "?": () => {
      const help = one("#keys");
      help.open = true;
      help.querySelector("summary").focus();
      help.scrollIntoView({ block: "nearest" });
    },
  };
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.repeat && e.key !== "j" && e.key !== "k" || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const at = e.target;
    if (at.isContentEditable || at.matches?.("textarea, select, input:not([type=checkbox])")) return;
    const act = keys[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
})();
