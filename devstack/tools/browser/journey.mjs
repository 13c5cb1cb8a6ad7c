// journey.mjs goes the whole way of a decision as a person does who has no mouse: signs in
// at the office with a password, opens the inbox, reads the case, sees what changed since it
// was proposed, decides, undoes it and decides again. No address is typed but the first.
//
//   node journey.mjs --base URL --out DIR --width 1280|360 --email WHO --password WORD --proposal P-1 --next P-2 --changed TEXT
import { join } from "node:path";
import { options, seen, start, visitor } from "./browser.mjs";
import { hasty, settled } from "./state.mjs";

const { named } = options(process.argv.slice(2));
const width = Number(named.width), phone = width < 600;
const browser = await start();
const context = await visitor(browser, {}, { viewport: { width, height: 760 }, hasTouch: phone, isMobile: phone, reducedMotion: "reduce" });
await hasty(context);
const page = await context.newPage();
for (const name of ["door", "office", "inbox", "case", "proposal"]) seen(`journey-${name}`);
const faults = [];
page.on("pageerror", (e) => faults.push(`script: ${e.message}`));
page.on("console", (m) => { if (m.type() === "error" && page.url().startsWith(named.base)) faults.push(`console: ${m.text()}`); });

const press = (key) => page.keyboard.press(key);
const check = (ok, what) => { if (!ok) throw new Error(what); };
let step = 0;
const shot = (name) => page.screenshot({ path: join(named.out, `journey-${width}-${++step}-${name}.png`) });

// tabTo moves the focus there by the keyboard alone, and says where it is on the screen.
async function tabTo(selector) {
  for (let i = 0; i < 150; i++) {
    if (await page.evaluate((s) => document.activeElement?.matches(s), selector)) {
      const seen = await page.evaluate(() => { // what has the focus is in sight and on top
        const r = document.activeElement.getBoundingClientRect(), at = document.elementFromPoint(r.left + r.width / 2, Math.min(Math.max(r.top + r.height / 2, 0), innerHeight - 1));
        return r.bottom > 0 && r.top < innerHeight && (document.activeElement.contains(at) || at?.contains(document.activeElement));
      });
      check(seen, `the focus on ${selector} cannot be seen`);
      return;
    }
    await press("Tab");
  }
  throw new Error(`Tab never reaches ${selector}`);
}
async function follow(selector) { // a link or a button that leads to another page
  await tabTo(selector);
  const loaded = page.waitForEvent("load");
  await press("Enter");
  await loaded;
  await settled(page);
}

async function signIn() {
  await page.goto(new URL("/inbox", named.base).href, { waitUntil: "load" });
  await shot("door");
  await follow('main form button[type=submit], main a[href^="/auth/start"]');
  check(!page.url().startsWith(named.base), `nobody was sent to the office, but to ${page.url()}`);
  await tabTo("#login");
  await page.keyboard.type(named.email);
  await tabTo("#password");
  await page.keyboard.type(named.password);
  const back = page.waitForURL((u) => u.href.startsWith(named.base) && u.pathname === "/inbox", { waitUntil: "load" });
  await press("Enter");
  await back;
  await settled(page);
}

async function open(proposal) { // the first row of the inbox, which a desk shows already
  if (phone) {
    await press("j");
    const loaded = page.waitForEvent("load");
    await press("Enter");
    await loaded;
    await settled(page);
  }
  await page.locator(".split-detail", { hasText: proposal }).waitFor();
}

async function read() {
  await open(named.proposal);
  await shot("inbox");
  await follow('.split-detail a[href^="/cases/"]');
  await page.locator("h1", { hasText: "van 14" }).waitFor();
  await shot("case");
  await follow(`a[href^="/proposals/${named.proposal}"]`);
}

async function seeWhatChanged() {
  const row = page.locator("#bar-moved").getByText(named.changed);
  check(!(await row.isVisible()), "what changed is open before anybody asked");
  await tabTo("#bar-moved > summary");
  await press("Enter");
  await row.waitFor({ state: "visible" });
  await shot("changed");
}

async function decideUndoDecide() {
  await follow('#decide button[data-answer="approve"]');
  await page.getByText("Your approval is on record").waitFor();
  await shot("decided");
  await follow('a[href$="?answer=undo"]');
  check(await page.evaluate(() => document.activeElement?.name) === "reason", "the cursor is not in the reason for the undo");
  await page.keyboard.type("The closure notice was not looked at.");
  await follow("#decide button[type=submit]");
  await page.getByText("It was called off").waitFor();
  await shot("undone");
  await follow(phone ? 'a[href="/inbox"]' : '.rail a[href="/inbox"]'); // what was undone is over; the next one waits
  await open(named.next);
  await follow('#decide [data-answer="reject"]');
  check(await page.evaluate(() => document.activeElement?.name) === "reason", "the cursor is not in the reason");
  await page.keyboard.type("The road was closed on four of the six nights.");
  await follow("#decide button[type=submit]");
  check((await page.locator("[data-say]").innerText()).startsWith("Rejected: "), `said: ${await page.locator("[data-say]").innerText()}`);
  await shot("rejected");
}

try {
  await signIn();
  await read();
  await seeWhatChanged();
  await decideUndoDecide();
  if (faults.length) throw new Error(faults.join("\n"));
  console.log("ok");
} catch (e) {
  await page.screenshot({ path: join(named.out, `journey-failed-${width}.png`) });
  console.error(`FAILED: ${e.message}\nat ${page.url()}\n${(await page.locator("body").innerText()).slice(0, 1200)}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
