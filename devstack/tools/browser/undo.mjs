// undo.mjs approves things in a demonstration as an officer, one after another, and wants to
// undo each at a random moment: on the page of the inbox, of the proposal or of the case. It
// presses Undo where the page offers it at that moment, and notes what the next page says.
//
//   node undo.mjs --base http://127.0.0.1:8080 --out dir --of case_…/P-1,case_…/P-2 --at-once 6 --seed 20
//
// pressed.json in --out has a line of each; what really happened is for who started it to find out.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { options, start, visitor } from "./browser.mjs";

const { named } = options(process.argv.slice(2));
if (!named.base || !named.out || !named.of) {
  console.error("usage: node undo.mjs --base URL --out DIR --of CASE/P-1,… [--at-once N] [--seed N]");
  process.exit(2);
}
await mkdir(named.out, { recursive: true });

// chance draws the same numbers for the same seed (mulberry32).
let state = Number(BigInt(named.seed || "1") & 0xffffffffn);
function chance() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

const inboxShare = 0.2, beyond = 1.3; // of the window: so much is tried after it is over
const atOnceInInbox = 2; // an inbox shows the newest three that can be undone
const things = named.of.split(",").map((one) => ({ file: one.split("/")[0], id: one.split("/")[1], at: chance() * beyond, side: chance() }));
const pressed = [], shown = new Set(); // of each place a picture for people to look at
const browser = await start();

async function officer() {
  const context = await visitor(browser, {}, { locale: "en" });
  const page = await context.newPage();
  await page.goto(named.base);
  await page.locator("#be-north button[value=officer]").click();
  await page.waitForURL(/\/start/);
  return page;
}

const from = { inbox: (t) => `/inbox?open=${t.id}`, proposal: (t) => `/proposals/${t.id}`, case: (t) => `/cases/${t.file}?proposal=${t.id}` };

// attempt approves a thing, waits for its moment, and presses what the page offers then.
async function attempt(page, place, t) {
  await page.goto(new URL(from[place](t), named.base).href);
  await page.locator('#decide button[value="approve"]').first().click();
  await page.waitForURL(/[?&](done=approve|did=)/);
  const approved = Date.now();
  const form = `form[action^="/proposals/${t.id}/undo"][data-left]`;
  const left = await page.evaluate((form) => Number(document.querySelector(form)?.dataset.left || 0), form);
  if (!shown.has(place)) {
    shown.add(place);
    await page.screenshot({ path: join(named.out, `offered-${place}.png`) });
  }
  await page.waitForTimeout(t.at * left * 1000); // at once, where the page came too late to offer anything
  const one = { proposal: t.id, place, after: (Date.now() - approved) / 1000, offered: false, undone: false, said: "" };
  one.offered = await page.evaluate((form) => { // reading and pressing are one moment
    const all = [...document.querySelectorAll(form)].filter((f) => f.dataset.over === undefined && f.getClientRects().length);
    const button = all[0]?.querySelector('button:not([aria-disabled="true"])');
    window.pressed = true; // until another page is there
    button?.click();
    return Boolean(button);
  }, form);
  if (one.offered) {
    await page.waitForFunction(() => !window.pressed && document.readyState !== "loading");
    const said = await page.locator("main").innerText(), at = new URL(page.url());
    one.undone = place === "inbox" ? said.includes("Called off: ") && said.includes(`(${t.id})`) : at.searchParams.get("done") === "undo";
    one.said = one.undone ? "" : `${at.pathname}${at.search} ${said.slice(0, 300)}`;
  }
  pressed.push(one);
}

async function lanes(n, list, place) {
  const left = [...list];
  await Promise.all(Array.from({ length: Math.min(n, left.length) }, async () => {
    const page = await officer();
    for (let t = left.shift(); t; t = left.shift()) {
      try {
        await attempt(page, place(t), t);
      } catch (e) {
        throw new Error(`${t.id}: ${e.message}\n${page.url()}\n${(await page.locator("body").innerText().catch(() => "")).slice(0, 800)}`);
      }
    }
    await page.context().close();
  }));
}

try {
  await lanes(atOnceInInbox, things.filter((t) => t.side < inboxShare), () => "inbox");
  await lanes(Number(named["at-once"] || 6), things.filter((t) => t.side >= inboxShare), (t) => (t.side < 0.6 ? "proposal" : "case"));
  await writeFile(join(named.out, "pressed.json"), JSON.stringify(pressed));
} finally {
  await browser.close();
}
