// editor.js keeps what somebody types into a section: <form data-unsent="/address"> with fields was, rev and text, and a place for words,
// [data-unsent-says]. It is saved a moment after they stop, in the place of what they were shown last; what another window saved stays.
// Another form of the page is sent once what was typed is kept, and takes it along where it has fields for that. Leaving the page with
// words that are not kept asks first. The page works without it.
"use strict";
(() => {
  const form = document.querySelector("form[data-unsent]");
  if (!form) return;
  const text = form.elements.namedItem("text"), rev = form.elements.namedItem("rev"), was = form.elements.namedItem("was");
  const says = document.querySelector("[data-unsent-says]");
  const words = form.dataset;
  const pause = 1500, again = 10000, small = 15000; // ms, ms, and characters that a page which is left may still send
  let kept = text.value, timer = 0, stopped = false, sent = false, flight = Promise.resolve();
  const tell = (state, sentence) => {
    form.dataset.state = state;
    says.textContent = sentence;
  };
  const later = (after) => {
    clearTimeout(timer);
    timer = setTimeout(save, after);
  };
  const open = () => !stopped && !sent && text.value !== kept;
  const save = () => (flight = flight.then(put));
  async function put() {
    if (!open()) return;
    const value = text.value;
    clearTimeout(timer);
    tell("saving", words.saving);
    try {
      const answer = await fetch(form.dataset.unsent, {
        method: "POST", credentials: "same-origin", headers: { Accept: "application/json" }, keepalive: value.length < small,
        body: new URLSearchParams({ was: was.value, rev: rev.value, text: value }),
      });
      const got = await answer.json();
      if (answer.ok) {
        kept = value;
        rev.value = got.rev;
      } else {
        stopped = answer.status !== 503 && answer.status !== 429; // asking again would give the same answer
      }
      tell(got.state, got.says);
      if (open()) later(answer.ok ? pause : again);
    } catch {
      tell("failed", words.failed);
      later(again);
    }
  }
  const take = (other) => { // how the text is put over another one: as it is in the field now
    const its = other.elements;
    if (!its.namedItem("rev") || !its.namedItem("text")) return;
    its.namedItem("rev").value = rev.value;
    its.namedItem("text").value = text.value;
  };
  text.addEventListener("input", () => later(pause));
  document.addEventListener("visibilitychange", () => { if (document.hidden) save(); });
  document.addEventListener("submit", async (e) => {
    const other = e.target;
    if (other === form) {
      sent = true;
    } else if (!e.defaultPrevented && open() && !other.dataset.waited) {
      e.preventDefault();
      other.dataset.waited = "1"; // where it cannot be kept, it is sent all the same, and the browser asks
      await save();
      other.requestSubmit(e.submitter);
    } else {
      take(other);
    }
  });
  window.addEventListener("beforeunload", (e) => { if (!sent && text.value !== kept) e.preventDefault(); });
})();
