// editor.js keeps what somebody types into a section: <form data-unsent="/address"> with fields was, rev and text, and a place for words,
// [data-unsent-says]. It is saved a moment after they stop, in the place of what they were shown last; what another window saved stays.
// Leaving the page with words that are not kept asks first. The page works without it.
"use strict";
(() => {
  const form = document.querySelector("form[data-unsent]");
  if (!form) return;
  const text = form.elements.namedItem("text"), rev = form.elements.namedItem("rev"), was = form.elements.namedItem("was");
  const says = document.querySelector("[data-unsent-says]");
  const words = form.dataset;
  let kept = text.value, timer = 0, busy = false, stopped = false, sent = false;
  const tell = (state, sentence) => {
    form.dataset.state = state;
    says.textContent = sentence;
  };
  const later = (after) => {
    clearTimeout(timer);
    timer = setTimeout(save, after);
  };
  async function save() {
    if (busy || stopped || sent || text.value === kept) return;
    const value = text.value;
    busy = true;
    tell("saving", words.saving);
    try {
      const answer = await fetch(form.dataset.unsent, {
        method: "POST", credentials: "same-origin", headers: { Accept: "application/json" },
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
      if (!answer.ok && !stopped) later(10000);
    } catch {
      tell("failed", words.failed);
      later(10000);
    } finally {
      busy = false;
      if (text.value !== kept && !stopped) later(1500);
    }
  }
  text.addEventListener("input", () => later(1500));
  document.addEventListener("visibilitychange", () => { if (document.hidden) save(); });
  document.addEventListener("submit", () => { sent = true; });
  window.addEventListener("beforeunload", (e) => { if (!sent && text.value !== kept) e.preventDefault(); });
})();
