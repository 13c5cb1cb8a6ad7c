// live.mjs proves that open pages move by themselves, in a real browser: notices,
// lost connections, many tabs, no script, no Web Locks.
//
//   node live.mjs --base URL --token TOKEN --control URL --case /cases/case_…
//
// --control is the test's own server; a POST to it makes something happen behind
// the page: /note?text=…, /open?title=…, /restart (the web server), /drop (the
// database connection that hears notices).
import { options, signedIn, start } from "./browser.mjs";

const { named } = options(process.argv.slice(2));
const { base, token, control } = named;
const page0 = new URL(named.case, base).href;
const browser = await start();
let failed = 0;

const act = async (what) => {
  const res = await fetch(control + what, { method: "POST" });
  if (!res.ok) throw new Error(`${what}: ${res.status} ${await res.text()}`);
};
async function visitor(extra = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...extra });
  await context.addCookies([signedIn(base, token)]);
  return context;
}
const isLive = (page, ms = 8000) => page.waitForSelector('[data-live-status][data-state="live"]', { timeout: ms });
const shows = (page, text, ms = 2000) => page.getByText(text, { exact: true }).first().waitFor({ timeout: ms });
let serial = 0;
const fresh = (word) => `${word} ${process.pid}-${++serial}`;

async function promise(text, run) {
  const context = await visitor();
  const began = Date.now();
  try {
    await run(context);
    console.log(`ok    ${text} (${Date.now() - began} ms)`);
  } catch (err) {
    failed++;
    console.log(`FAIL  ${text}\n      ${String(err.message).split("\n").slice(0, 4).join("\n      ")}`);
  } finally {
    await context.close();
  }
}
function must(ok, text) {
  if (!ok) throw new Error(text);
}

try {
  await promise("a change appears within 2 s, without a reload", async (context) => {
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    await page.evaluate(() => { window.untouched = true; });
    const text = fresh("from elsewhere");
    await act(`/note?text=${encodeURIComponent(text)}`);
    await shows(page, text);
    must(await page.evaluate(() => window.untouched), "the page was loaded again");
  });

  await promise("what is being typed stays, and the form learns the new version", async (context) => {
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    await page.fill("#note-text", "half a sentence");
    const before = await page.inputValue("#close-case [data-version-of]");
    const text = fresh("meanwhile");
    await act(`/note?text=${encodeURIComponent(text)}`);
    await shows(page, text);
    await page.waitForFunction((was) => document.querySelector("#close-case [data-version-of]").value !== was, before, { timeout: 2000 });
    must((await page.inputValue("#note-text")) === "half a sentence", "the typed text is gone");
  });

  await promise("a note is signed with the keyboard alone, in place", async (context) => {
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    await page.keyboard.press("Tab");
    must(await page.evaluate(() => document.activeElement.classList.contains("skip")), "the first stop is not the skip link");
    await page.focus("#note-text");
    const text = fresh("typed by hand");
    await page.keyboard.type(text);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await shows(page, text);
    await shows(page, "Your note is on the sheet");
    must(new URL(page.url()).search === "", "the page was loaded again");
  });

  await promise("a refused act says so and keeps what was written, whatever moves meanwhile", async (context) => {
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    await page.click("#close-case summary");
    await page.fill("#close-reason", "the fire is out");
    await page.evaluate(() => { document.querySelector("#close-case [data-version-of]").value = "1"; });
    await page.click("#close-case button");
    await shows(page, "This changed since you opened it");
    const text = fresh("after the refusal");
    await act(`/note?text=${encodeURIComponent(text)}`);
    await shows(page, text);
    await page.waitForTimeout(500);
    must((await page.inputValue("#close-reason")) === "the fire is out", "the reason is gone");
    must(await page.getByText("This changed since you opened it").isVisible(), "the refusal is gone");
  });

  await promise("without script every act works and the page says how old it is", async () => {
    const context = await visitor({ javaScriptEnabled: false });
    try {
      const page = await context.newPage();
      await page.goto(page0);
      must((await page.textContent("[data-live-text]")) === "As of", "the page claims to be live");
      const text = fresh("plain form");
      await page.fill("#note-text", text);
      await page.click("#acts form button");
      await shows(page, text);
    } finally {
      await context.close();
    }
  });

  await promise("ten tabs share one stream and all are told", async (context) => {
    let streams = 0;
    context.on("request", (r) => { if (new URL(r.url()).pathname === "/live") streams++; });
    const tabs = [];
    for (let i = 0; i < 10; i++) {
      const tab = await context.newPage();
      await tab.goto(page0, { timeout: 5000 });
      await isLive(tab);
      tabs.push(tab);
    }
    must(streams === 1, `${streams} streams were opened`);
    await tabs[0].close(); // the one that held the stream
    await isLive(tabs[9]);
    const text = fresh("for everybody");
    await act(`/note?text=${encodeURIComponent(text)}`);
    for (const tab of tabs.slice(1)) {
      await tab.bringToFront();
      await shows(tab, text, 3000);
    }
    must(streams === 2, `${streams} streams were opened in all, want a second one by the next tab`);
  });

  await promise("a browser without Web Locks is live too", async (context) => {
    await context.addInitScript(() => { Object.defineProperty(Navigator.prototype, "locks", { value: undefined }); });
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    const text = fresh("no locks");
    await act(`/note?text=${encodeURIComponent(text)}`);
    await shows(page, text);
  });

  await promise("rows of the list never move under the pointer", async (context) => {
    const page = await context.newPage();
    await page.goto(new URL("/cases", base).href);
    await isLive(page);
    await page.waitForTimeout(1200); // the first look after connecting is over
    const title = fresh("Newly opened");
    const first = await page.locator(".item").first().getAttribute("id");
    await page.hover(".item >> nth=0");
    await act(`/open?title=${encodeURIComponent(title)}`);
    await page.waitForSelector("[data-live-held]:not([hidden])", { timeout: 4000 });
    must((await page.locator(".item").first().getAttribute("id")) === first, "a row moved under the pointer");
    await page.mouse.move(5, 5);
    await shows(page, title, 3000);
  });

  await promise("the page says when notices are lost, and catches up after", async (context) => {
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    const seen = page.waitForSelector('[data-live-status]:not([data-state="live"])', { timeout: 5000 });
    await act("/drop");
    await seen;
    const text = fresh("said in the gap");
    await act(`/note?text=${encodeURIComponent(text)}`);
    await isLive(page);
    await shows(page, text, 5000);
  });

  await promise("after a restart of the server the page is right within 5 s", async (context) => {
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    const waiting = page.waitForSelector('[data-live-status][data-state="wait"]', { timeout: 5000 });
    const text = fresh("while it was down");
    await Promise.all([waiting, act(`/restart?text=${encodeURIComponent(text)}`)]);
    await shows(page, text, 5000);
    await isLive(page);
  });
} finally {
  await browser.close();
}
process.exit(failed ? 1 : 0);
