// state.mjs is how a check waits: for what a page is to come to, never for a time. A busy
// machine makes such a check slow, not red.

// patience, in ms, is after how long something is said never to happen; PATIENCE has it
// in seconds. Nobody waits for it unless something is broken.
export const patience = 1000 * Number(process.env.PATIENCE || 120);

// watch goes into every page before its own scripts, and counts what the page waits for
// (asking), what leaves it (acts), and the words that its stream brought (heard).
export function watch() {
  window.asking = 0;
  window.acts = 0;
  window.heard = [];
  const ask = window.fetch;
  const over = () => setTimeout(() => { window.asking--; }); // a task later: what is done with the answer is done by then
  window.fetch = (...args) => {
    window.asking++;
    const asked = ask(...args);
    asked.then((res) => res.clone().arrayBuffer()).then(over, over);
    return asked;
  };
  addEventListener("submit", () => { window.acts++; }, true);
  window.navigation?.addEventListener("navigate", () => { window.acts++; });
  const Stream = window.EventSource;
  window.EventSource = class extends Stream {
    constructor(...args) {
      super(...args);
      this.addEventListener("words", (e) => window.heard.push(e.data));
    }
  };
}

// restless is, in the page, what has not come to rest yet, or whether everything has.
function restless(what) {
  const moves = (a) => a.playState === "running" && a.effect?.getComputedTiming().endTime < Infinity; // what turns for ever is at rest
  const status = document.querySelector("[data-live-status]"), say = document.querySelector("[data-say]");
  const read = new Set(performance.getEntriesByType("resource").filter((r) => r.initiatorType === "fetch").map((r) => r.name));
  const unread = [...document.querySelectorAll("[data-live][data-src]")].filter((el) => !read.has(new URL(el.dataset.src, location).href));
  const found = [
    document.fonts.status !== "loaded" && "letters are on their way",
    document.getAnimations().some(moves) && "something moves",
    document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling") && "a form is on its way",
    status?.dataset.state === "wait" && "the page does not know whether it is live",
    status && unread.length && `the second look at ${unread[0].dataset.src} is not over`, // a page takes one once it is live
    window.asking && "something was asked for and has not come",
    say?.dataset.say && say.textContent !== say.dataset.say && "something is not said yet",
  ].filter(Boolean);
  return what ? found.join(", ") : !found.length;
}

// settled waits until a page that was loaded has come to rest and is painted so.
export async function settled(page) {
  try {
    await page.waitForFunction(restless, false, { polling: 20 });
  } catch (e) {
    throw new Error(`the page does not come to rest: ${await page.evaluate(restless, true).catch(() => e.message)}`);
  }
  await painted(page);
}

// answered waits until everything that the page has asked for has come, and is shown.
export const answered = (page) => page.waitForFunction(() => !window.asking && !document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling"));

// painted waits until what was done to the page so far is on the screen.
export const painted = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

// hasty takes the chance out of when a page takes its second look, which is spread over
// most of a second so that a server is not met by everybody at once.
export const hasty = (context) => context.addInitScript(() => { Math.random = () => 0; });
