// cursor.js moves a cursor in time through drawings and tables: inside an element with
// data-cursor, everything that belongs to an hour has data-hour, and the bar with
// data-cursor-bar has a slider whose labels name the hours. Without it everything is
// shown at once, and nothing is lost but the moving.
"use strict";
(() => {
  for (const root of document.querySelectorAll("[data-cursor]")) {
    const bar = root.querySelector("[data-cursor-bar]"), slider = bar?.querySelector("input");
    if (!slider) continue;
    const at = bar.querySelector("output"), labels = slider.dataset.labels.split("|"), first = Number(slider.min);
    const byHour = new Map();
    for (const el of root.querySelectorAll("[data-hour]")) {
      const list = byHour.get(el.dataset.hour) || [];
      list.push(el);
      byHour.set(el.dataset.hour, list);
    }
    let now = [];
    const mark = (on) => {
      for (const chart of root.querySelectorAll("svg.chart")) chart.classList.toggle("has-cursor", on);
      for (const el of now) el.classList.remove("is-now");
      now = [];
    };
    // a row comes into sight in its own table; the page stays where it is
    const reveal = (row) => {
      const box = row.closest(".table-wrap");
      if (!box || box.scrollHeight <= box.clientHeight) return;
      box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
    };
    const show = () => {
      mark(true);
      now = byHour.get(slider.value) || [];
      for (const el of now) el.classList.add("is-now");
      for (const el of now) if (el.tagName === "TR") reveal(el);
      const label = `${labels[Number(slider.value) - first]} ${slider.dataset.zone}`;
      at.textContent = label;
      slider.setAttribute("aria-valuetext", label);
    };
    const clear = () => {
      mark(false);
      at.textContent = at.dataset.all;
      slider.setAttribute("aria-valuetext", at.dataset.all);
    };
    // Playing moves the cursor by itself until its end, or until somebody moves it. It is
    // not read out, hour by hour, to whoever listens to the page.
    const player = bar.querySelector("[data-cursor-play]");
    let timer = 0;
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      player?.setAttribute("aria-pressed", "false");
      at.removeAttribute("aria-live");
    };
    const play = () => {
      if (slider.value === slider.max) slider.value = slider.min;
      player.setAttribute("aria-pressed", "true");
      at.setAttribute("aria-live", "off");
      timer = setInterval(() => {
        slider.value = Number(slider.value) + 1;
        show();
        if (slider.value === slider.max) stop();
      }, 300);
    };
    slider.addEventListener("input", () => {
      stop();
      show();
    });
    bar.addEventListener("click", (e) => {
      const step = e.target.closest("[data-cursor-step]"), playing = timer !== 0;
      if (e.target.closest("button")) stop();
      if (step) {
        slider.value = Number(slider.value) + Number(step.dataset.cursorStep);
        show();
      } else if (e.target.closest("[data-cursor-play]")) {
        if (!playing) play();
      } else if (e.target.closest("[data-cursor-clear]")) clear();
    });
    root.addEventListener("click", (e) => {
      const hour = e.target.closest?.("svg [data-hour]");
      if (!hour) return;
      stop();
      slider.value = hour.dataset.hour;
      show();
    });
    clear();
    bar.hidden = false;
  }
})();
