// forms.js says beside a form that sending it failed, when nobody of ours could say so:
// the server was not reached, it did not answer in time, or a machine in between
// answered in its place. The form and what was typed into it stay as they are. However
// a form ended, it brings the words about it into view.
"use strict";
(() => {
  const outcome = () => document.getElementById("outcome");
  const show = () => outcome()?.scrollIntoView({ block: "nearest" }); // a phone may show only the button
  function unsent() {
    const words = document.querySelector("template[data-unsent]");
    if (words) outcome()?.replaceChildren(words.content.cloneNode(true));
    show();
  }
  document.addEventListener("htmx:afterSettle", show);
  document.addEventListener("htmx:sendError", unsent);
  document.addEventListener("htmx:timeout", unsent);
  document.addEventListener("htmx:beforeSwap", (e) => {
    if (!e.detail.shouldSwap || e.detail.xhr.getResponseHeader("Gavel-Region")) return;
    e.detail.shouldSwap = false; // not from this server: it never takes a form's place
    unsent();
  });
})();
