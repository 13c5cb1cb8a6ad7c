// live.mjs proves that open pages move by themselves, in a real browser: notices,
// lost connections, many tabs, no script, no Web Locks.
//
//   node live.mjs --base URL --token TOKEN --control URL --case /cases/case_… --out DIR [--only WORDS] [--except WORDS,WORDS]
//
// --only and --except choose promises by how they begin.
// --control is the test's own server; a POST to it makes something happen behind
// the page: /note?text=…, /open?title=…, /stop and /start (the web server),
// /drop (the database connection that hears notices), /outage?code=… (every form that
// is sent meets this fault, until the code is empty). --out is where screenshots of
// failed forms are left for people to look at.
//
// What is promised within seconds is printed when it comes later, and fails with TIMES=hard.
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { hard, options, seen, sideways, signedIn, start, visitor } from "./browser.mjs";
import { answered, patience, settled } from "./state.mjs";

const { named } = options(process.argv.slice(2));
const { base, token, control } = named;
const page0 = new URL(named.case, base).href;
const browser = await start();
let failed = 0, kept = 0;

const act = async (what) => {
  const res = await fetch(control + what, { method: "POST" });
  if (!res.ok) throw new Error(`${what}: ${res.status} ${await res.text()}`);
};
seen("live-case");
const reader = (extra) => visitor(browser, named, extra);
// within waits for what is promised in so many ms. What comes after that is late, which
// a busy machine may be; what has not come when patience is over never comes.
class Late extends Error {}
async function within(ms, wait) {
  const began = Date.now();
  await wait({ timeout: patience });
  const took = Date.now() - began;
  if (took <= ms) return;
  const late = `it came after ${took} ms, not within ${ms}: ${wait}`;
  if (hard) throw new Late(late);
  console.log(`late  ${late}`);
}
const isLive = (page, ms = 8000) => within(ms, (o) => page.waitForSelector('[data-live-status][data-state="live"]', o));
const shows = (page, text, ms = 2000) => within(ms, (o) => page.getByText(text, { exact: true }).first().waitFor(o));
let serial = 0;
const fresh = (word) => `${word} ${process.pid}-${++serial}`;

const wanted = (text) => (!named.only || text.startsWith(named.only)) && !(named.except || "").split(",").some((e) => e && text.startsWith(e));
async function promise(text, run) {
  if (!wanted(text)) return;
  kept++;
  for (let tries = 1; ; tries++) {
    const context = await reader();
    const began = Date.now();
    try {
      await run(context);
      console.log(`ok    ${text} (${Date.now() - began} ms)`);
      return;
    } catch (err) {
      // A busy machine may be late once; a promise of time that is not kept is late every time.
      const late = err instanceof Late && tries < 3;
      console.log(`${late ? "again" : "FAIL "} ${text}\n      ${String(err.message).split("\n").slice(0, 4).join("\n      ")}`);
      if (late) continue;
      failed++;
      return;
    } finally {
      await context.close();
    }
  }
}
function must(ok, text) {
  if (!ok) throw new Error(text);
}


// keeps proves that a form outlives a failure: what went wrong is said beside it,
// what was typed stays, and sending it again works, once.
async function keeps(context, name, { fail, mend, says }) {
  const page = await context.newPage();
  await page.goto(page0);
  await isLive(page);
  const text = fresh(name);
  await page.fill("#note-text", text);
  await fail(page);
  await page.click("#acts form button");
  await shows(page, says);
  must(await page.locator("#outcome [role=alert]").isVisible(), "the failure is not said beside the form");
  must((await page.inputValue("#note-text")) === text, "what was written is gone");
  await look(page, name);
  await mend(page, text);
  await within(3000, (o) => page.click("#acts form button", o));
  await shows(page, "Your note is on the sheet", 5000);
  await shows(page, text);
  await answered(page);
  must((await page.locator(".note-text", { hasText: text }).count()) === 1, "the note is there more than once");
  must(!(await page.getByText(says, { exact: true }).isVisible()), "the failure is still shown");
  await page.goto(page0); // and as the server has it
  must((await page.locator(".note-text", { hasText: text }).count()) === 1, "the note was made more than once");
}
async function look(page, name) {
  const { violations } = await new AxeBuilder({ page }).include("#outcome").analyze();
  must(violations.length === 0, `axe: ${violations.map((v) => v.help).join("; ")}`);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.locator("#outcome").scrollIntoViewIfNeeded();
    const wide = await sideways(page);
    must(wide <= 0, `scrolls sideways by ${wide} px at ${width}`);
    await page.screenshot({ path: join(named.out, `failed-${name.replaceAll(" ", "-")}-${width}.png`) });
  }
}
const well = () => act("/outage?code=");

try {
  for (const [code, says] of [
    ["unavailable", "A part of the system is not answering"],
    ["internal", "Something went wrong on our side"],
    ["too_many", "Too many requests"],
  ]) {
    await promise(`a form that meets ${code} stays, and can be sent again`, (context) =>
      keeps(context, code, { fail: () => act(`/outage?code=${code}`), mend: well, says }).finally(well));
  }

  await promise("whoever was signed out signs in beside the form and sends it again", (context) =>
    keeps(context, "signed out", {
      says: "Sign in first",
      fail: () => context.clearCookies(),
      mend: async (page) => {
        const door = new URL(await page.locator("#outcome a").getAttribute("href"), base);
        must(door.searchParams.get("next") === new URL(page0).pathname, `signing in leads to ${door.search}`);
        const opened = context.waitForEvent("page");
        await page.click("#outcome a");
        await (await opened).close(); // a tab of its own: the form is not left
        await context.addCookies([signedIn(base, token)]);
      },
    }));

  const unreached = "The server could not be reached";
  await promise("a form sent while the server is away stays, and can be sent again", (context) =>
    keeps(context, "server away", {
      says: unreached,
      fail: () => act("/stop"),
      mend: async (page) => {
        await act("/start");
        await isLive(page, 15000);
      },
    }).catch(async (err) => {
      await act("/start").catch(() => {}); // for the promises after this one
      throw err;
    }));

  await promise("on a phone the words about a failure come into view", async () => {
    const context = await reader({ viewport: { width: 360, height: 560 } });
    try {
      const page = await context.newPage();
      await page.goto(page0);
      await isLive(page);
      await page.click("#close-case summary");
      await page.fill("#close-reason", "the fire is out");
      for (const fail of [() => act("/outage?code=unavailable"), () => page.route("**/close", (route) => route.abort())]) {
        await fail();
        await page.locator("#close-case button").scrollIntoViewIfNeeded();
        await page.evaluate(() => { document.getElementById("outcome").textContent = ""; window.scrollTo(0, document.body.scrollHeight); });
        await page.click("#close-case button");
        await within(2000, (o) => page.locator("#outcome [role=alert]").waitFor(o));
        await page.waitForFunction(() => { // below what is stuck at the top, and on the screen
          const [words, bar] = ["#outcome", ".topbar"].map((at) => document.querySelector(at).getBoundingClientRect());
          return words.top >= bar.bottom - 1 && words.top < innerHeight;
        });
      }
    } finally {
      await well();
      await context.close();
    }
  });

  await promise("what a machine in between answers never takes the form's place", (context) =>
    keeps(context, "gateway", {
      says: unreached,
      fail: (page) => page.route("**/notes", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" })),
      mend: (page) => page.unroute("**/notes"),
    }));

  await promise("an answer that is lost on the way leaves the form, and the note is made once", (context) =>
    keeps(context, "lost answer", {
      says: unreached,
      fail: (page) => page.route("**/notes", async (route) => { await route.fetch(); await route.abort(); }),
      mend: async (page, text) => {
        await shows(page, text); // it did arrive, and the page moved on by itself
        await page.unroute("**/notes");
      },
    }));

  await promise("an answer that never comes is not waited for without end", (context) =>
    keeps(context, "no answer", {
      says: unreached,
      fail: async (page) => {
        await page.evaluate(() => { if (window.htmx.config.timeout > 0) window.htmx.config.timeout = 500; });
        await page.route("**/notes", () => {});
      },
      mend: (page) => page.unroute("**/notes"),
    }));

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
    await within(2000, (o) => page.waitForFunction((was) => document.querySelector("#close-case [data-version-of]").value !== was, before, o));
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
    await answered(page); // every part that shows the case was asked for at the same moment
    must((await page.inputValue("#close-reason")) === "the fire is out", "the reason is gone");
    must(await page.getByText("This changed since you opened it").isVisible(), "the refusal is gone");
  });

  await promise("without script every act works and the page says how old it is", async () => {
    const context = await reader({ javaScriptEnabled: false });
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
      await within(5000, (o) => tab.goto(page0, o));
      await isLive(tab);
      tabs.push(tab);
    }
    const spoken = await tabs[9].evaluate(() => performance.getEntriesByType("navigation")[0].nextHopProtocol);
    must(spoken === "http/1.1", `the tabs speak ${spoken}, which allows more connections`);
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
    await settled(page); // the first look after connecting is over
    const title = fresh("Newly opened");
    const first = await page.locator(".item").first().getAttribute("id");
    await page.hover(".item >> nth=0");
    await act(`/open?title=${encodeURIComponent(title)}`);
    await within(4000, (o) => page.waitForSelector("[data-live-held]:not([hidden])", o));
    must((await page.locator(".item").first().getAttribute("id")) === first, "a row moved under the pointer");
    await page.mouse.move(5, 5);
    await shows(page, title, 3000);
  });

  await promise("the page says when notices are lost, and catches up after", async (context) => {
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    await page.evaluate(() => { // however short it was: a browser that is busy looks too seldom
      const status = document.querySelector("[data-live-status]");
      new MutationObserver(() => { window.wasLost ||= status.dataset.state !== "live"; }).observe(status, { attributeFilter: ["data-state"] });
    });
    await act("/drop");
    await within(5000, (o) => page.waitForFunction(() => window.wasLost, null, o));
    const text = fresh("said in the gap");
    await act(`/note?text=${encodeURIComponent(text)}`);
    await isLive(page);
    await shows(page, text, 5000);
  });

  await promise("after a restart of the server the page is right within 5 s", async (context) => {
    const page = await context.newPage();
    await page.goto(page0);
    await isLive(page);
    await page.evaluate(() => { window.untouched = true; });
    const text = fresh("while it was down");
    await act("/stop");
    await within(5000, (o) => page.waitForSelector('[data-live-status][data-state="wait"]', o));
    await act(`/note?text=${encodeURIComponent(text)}`);
    await act("/start");
    await shows(page, text, 5000);
    await isLive(page);
    must(await page.evaluate(() => window.untouched), "the page was loaded again");
  });
} finally {
  await browser.close();
}
process.exit(failed || !kept ? 1 : 0);
