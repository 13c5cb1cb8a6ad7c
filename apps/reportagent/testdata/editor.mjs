// A section is typed into in Chromium, in two windows of one person and one of another. Its Go test says what is promised.
import { join } from "node:path";
import { options, sideways, start, visitor } from "./browser.mjs";

const { named } = options(process.argv.slice(2));
const faults = [];
const want = (is, what) => { if (!is) faults.push(what); console.log(`${is ? "ok  " : "FAIL"}  ${what}`); };
const browser = await start();

// opened is a window with the section in it, its editor open.
async function opened(size = { width: 1280, height: 800 }, more = {}) {
  const context = await visitor(browser, { base: named.base, token: named.token }, { viewport: size, ...more });
  const page = await context.newPage();
  page.on("pageerror", (e) => faults.push(`the page fails: ${e}`));
  await go(page);
  return page;
}
async function go(page) {
  await page.goto(new URL(named.at, named.base).href);
  if (!await page.locator("#write").evaluate((d) => d.open)) await page.locator("#write > summary").click();
}
const field = (page) => page.locator("form[data-unsent] textarea");
const done = (page, what) => page.waitForURL(new RegExp(`done=${what}`));
const send = (page) => page.locator("form[data-unsent] button[type=submit]");
const state = (page, name) => page.waitForFunction((n) => document.querySelector("form[data-unsent]").dataset.state === n, name);
const type = async (page, words) => { await field(page).press("ControlOrMeta+End"); await field(page).pressSequentially(words); };
// leaves reports whether the browser asks before the page is left.
async function leaves(page) {
  let asked = false;
  page.once("dialog", (d) => { asked = true; d.accept(); });
  await page.goto(new URL("/reportagent", named.base).href);
  return asked;
}

try {
  const one = await opened();
  const before = await field(one).inputValue();
  await type(one, "\n\nTrains are");
  await state(one, "saved");
  want(/Saved at/.test(await one.locator("[data-unsent-says]").innerText()), "what is typed is said to be saved");
  await one.reload();
  want(await field(one).inputValue() === `${before}\n\nTrains are`, "it is there when the page is opened again");
  await one.screenshot({ path: join(named.out, "report-typing-desk.png"), fullPage: true });

  const two = await opened({ width: 820, height: 1180 });
  want((await field(two).inputValue()).endsWith("Trains are"), "another window of theirs shows it, too");
  await type(one, " left");
  await state(one, "saved");
  await type(two, " kept");
  await state(two, "elsewhere");
  want(/Another window/.test(await two.locator("[data-unsent-says]").innerText()), "the second window overwrites nothing, and says so");
  want((await field(two).inputValue()).endsWith("Trains are kept"), "its words are still in the field");
  want(await sideways(two) <= 0, "nothing scrolls sideways on a tablet");
  await two.screenshot({ path: join(named.out, "report-typing-tablet.png"), fullPage: true });
  want(await leaves(two), "leaving with words that are not kept asks first");

  await type(one, " out");
  await one.locator("form[action$='/read'] button").first().click();
  await done(one, "read");
  want((await field(one).inputValue()).endsWith("Trains are left out"), "another button of the page loses nothing of what was typed");
  want(!await leaves(one), "leaving with words that are kept asks nothing");

  await go(one);
  await one.route("**/unsent", (r) => r.abort());
  await type(one, ".");
  await state(one, "failed");
  await one.unroute("**/unsent");
  await one.evaluate(() => { Object.defineProperty(document, "hidden", { value: true }); document.dispatchEvent(new Event("visibilitychange")); });
  await state(one, "saved");
  want(true, "without a connection it says so, and saves when there is one");

  const other = await opened({ width: 1280, height: 800 }, { extraHTTPHeaders: { As: named.other } });
  await field(other).fill(`${before}\n\nSomebody else was here.`);
  await send(other).click();
  await done(other, "text");
  want(await field(other).inputValue() === `${before}\n\nSomebody else was here.`, "what is sent is the text, and no longer kept beside it");
  await type(one, " Yes");
  await state(one, "elsewhere");
  want(/changed elsewhere/.test(await one.locator("[data-unsent-says]").innerText()), "who types is told that the text changed meanwhile");
  await one.reload();
  const notice = one.locator("#write .rp-diff");
  want(await notice.locator("ins").count() > 0 && (await notice.innerText()).includes("Somebody else was here."), "both texts are set side by side");
  await one.screenshot({ path: join(named.out, "report-typing-moved.png"), fullPage: true });
  await type(one, ", all");
  await one.locator("form[action$='/unsent/rebase'] button").click();
  await done(one, "rebase");
  want((await field(one).inputValue()).endsWith("Trains are left out. Yes, all"), "words are put over another text as they are in the field");
  await send(one).click();
  await done(one, "text");
  want(await one.locator("form[action$='/unsent/discard']").count() === 0, "once sent, nothing is kept beside the text");
} finally {
  await browser.close();
}
if (faults.length) {
  console.error(faults.join("\n"));
  process.exit(1);
}
