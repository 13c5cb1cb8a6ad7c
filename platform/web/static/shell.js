// shell.js is what the frame around every page does by itself: "/" leads to the search
// unless the reader turned keys off, Escape and a click elsewhere close the account's
// menu, and where the rail lies across a phone, the place one is at is in sight. Without it everything is reached by Tab and by pointer.
"use strict";
(() => {
  const writing = (el) => el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName);
  const open = () => document.querySelector("details.account[open]");
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && open()) {
      const menu = open(), inside = menu.contains(document.activeElement);
      menu.open = false;
      if (inside) menu.querySelector("summary").focus();
      return;
    }
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || writing(e.target) || document.documentElement.dataset.keys === "off") return;
    const box = document.querySelector("[data-search]");
    if (!box) return;
    e.preventDefault();
    box.focus();
    box.select();
  });
  const here = document.querySelector(".rail a[aria-current]"), rail = here?.closest(".rail");
  if (here) {
    const at = here.getBoundingClientRect(), box = rail.getBoundingClientRect();
    rail.scrollLeft += at.left + at.width / 2 - (box.left + box.width / 2);
    rail.scrollTop += Math.max(0, at.bottom - box.bottom);
  }
  document.addEventListener("click", (e) => {
    const menu = open();
    if (menu && !menu.contains(e.target)) menu.open = false;
  });
})();
