// ask.js shows what happens on the way to an answer: what is looked up, and the lines
// as they come. When it has ended, the box is fetched as the server shows it, with its
// links. Where anything goes wrong the form is sent as a form.
"use strict";
(() => {
  const events = async function* (body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const p of parts) if (p.startsWith("data: ")) yield JSON.parse(p.slice(6));
    }
  };
  const add = (list, name, text) => {
    const item = document.createElement(name);
    item.textContent = text;
    list.append(item);
  };
  async function ask(form) {
    const box = form.closest("#ask"), at = (name) => box.querySelector(`[data-${name}]`);
    at("asking").hidden = false;
    const answer = await fetch(form.action, {
      method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "text/event-stream" },
    });
    if (!answer.ok || !answer.body) throw new Error("no stream");
    for await (const e of events(answer.body)) {
      if (e.type === "TOOL_CALL_RESULT") add(at("looks"), "li", e.content);
      if (e.type === "TEXT_MESSAGE_CONTENT") add(at("words"), "p", e.delta);
      if (e.type === "RUN_ERROR") throw new Error(e.message);
    }
    await htmx.ajax("GET", box.dataset.src, { target: "#ask", swap: "outerHTML" });
    document.querySelector("#ask-question")?.focus();
  }
  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (!form.matches("form[data-ask]") || form.dataset.plain || !window.TextDecoderStream) return;
    e.preventDefault();
    e.stopPropagation();
    form.querySelector("button").disabled = true;
    ask(form).catch(() => { // the form itself says what is wrong
      form.dataset.plain = "1";
      form.querySelector("button").disabled = false;
      form.requestSubmit();
    });
  }, true);
})();
