// inbox.mjs clears an inbox as a person does who has no mouse: on a desk and on a phone
// it reads, decides, sees the next open, undoes, decides again; and it checks that no key
// does anything once keys are turned off, and that nothing that has the focus is hidden.
//
//   node inbox.mjs --base URL --token TOKEN --out DIR --width 1280|360 --filing P-9
import { join } from "node:path";
import { options, seen, start, visitor } from "./browser.mjs";
import { hasty, painted, settled } from "./state.mjs";

const { named } = options(process.argv.slice(2));
const width = Number(named.width);
const browser = await start();
const context = await visitor(browser, named, { viewport: { width, height: 760 }, hasTouch: width < 600, isMobile: width < 600, reducedMotion: "reduce" });
await hasty(context);
seen("inbox-keys");
const page = await context.newPage();
const faults = [], posts = [];
page.on("pageerror", (e) => faults.push(`script: ${e.message}`));
page.on("console", (m) => { if (m.type() === "error") faults.push(`console: ${m.text()}`); });
page.on("request", (r) => { if (r.method() === "POST" && !r.url().endsWith("/opened")) posts.push(r.url()); });

const press = (key) => page.keyboard.press(key);
const focus = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.closest("li")?.id || document.activeElement?.tagName);
const openID = () => page.evaluate(() => document.querySelector(".item.is-open")?.id.replace("row-", ""));
const check = (ok, what) => { if (!ok) throw new Error(what); };
async function settle(act) { // a key that leads to another page
  const loaded = page.waitForEvent("load");
  await act();
  await loaded;
  await settled(page);
}
async function tabTo(selector) { // by the keyboard alone
  for (let i = 0; i < 120; i++) {
    if (await page.evaluate((s) => document.activeElement?.matches(s), selector)) return;
    await press("Tab");
  }
  throw new Error(`Tab never reaches ${selector}`);
}
const acts = async () => { // forms sent and links followed since the page was loaded; keys act at once
  await painted(page);
  return page.evaluate(() => window.acts);
};
const said = () => page.locator("[data-say]").innerText();

// hidden is what has the focus and lies under the bar.
const hidden = () => page.evaluate(() => {
  const at = document.activeElement, bar = document.querySelector("#proposal-bar .decision");
  if (!bar || !at || at === document.body || bar.contains(at)) return "";
  const a = at.getBoundingClientRect(), b = bar.getBoundingClientRect();
  const covered = a.height > 0 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1 && a.left < b.right && a.right > b.left;
  return covered ? `${at.tagName}#${at.id} ${at.textContent.trim().slice(0, 40)}` : "";
});

async function run() {
  await page.goto(new URL("/inbox", named.base).href, { waitUntil: "load" });
  await settled(page);
  const phone = width < 600;
  const first = await openID();
  check(await page.locator(".split-detail").isVisible() === !phone, "a phone shows the list first, a desk shows both");
  if (phone) {
    await press("j");
    check(await focus() === `row-${first}`, `j focuses ${await focus()}, not the first row`);
    await settle(() => press("Enter"));
    check(await focus() === "open-h", `opening puts the focus on ${await focus()}`);
    check(!(await page.locator(".split-list").isVisible()), "a phone shows list and detail at once");
  } else {
    await press("j"); // from the open row to the next
    const row = await focus();
    check(row !== `row-${first}` && row.startsWith("row-"), `j focuses ${row}`);
    const before = posts.length;
    await settle(() => press("a")); // a row that is not open is opened, and not approved
    check(posts.length === before && await openID() === row.replace("row-", ""), "a approved a row that was not open");
    await settle(() => page.goto(new URL("/inbox", named.base).href));
  }

  // decide: the row leaves, the next opens, its heading has the focus, it is said
  const deciding = await openID();
  await settle(() => press("a"));
  check(page.url().includes(`did=${deciding}`), `after deciding at ${page.url()}`);
  const next = await openID();
  check(next && next !== deciding, "the next did not open");
  check(await focus() === "open-h", `after deciding the focus is on ${await focus()}`);
  check((await said()).startsWith("Approved: ") && (await said()).includes(next), `said: ${await said()}`);
  check(await page.locator(`#row-${deciding}`).count() === 0, "the row stays");
  await page.screenshot({ path: join(named.out, `inbox-decided-${width}.png`) });

  // undo, from the chip
  await tabTo("form.undo[data-left] button");
  await settle(() => press("Enter"));
  check((await said()).startsWith("Called off: "), `said: ${await said()}`);
  check(await page.locator("form.undo[data-left]:visible").count() === 0, "the chip stays");
  check(await openID() === next, "undoing opened another row");

  // decide again: with a reason
  await settle(() => press("r"));
  check(await page.evaluate(() => document.activeElement?.name) === "reason", "the cursor is not in the reason");
  await page.keyboard.type("axbr: the roster was not looked at?"); // letters that are keys, in a text
  await tabTo("#decide button[type=submit]");
  await settle(() => press("Enter"));
  check((await said()).startsWith("Rejected: "), `said: ${await said()}`);

  // nothing that has the focus lies under the bar
  for (let i = 0; i < 60; i++) {
    await press("Tab");
    const under = await hidden();
    check(!under, `under the bar: ${under}`);
  }

  // a filing has no key
  await page.goto(new URL(`/inbox?open=${named.filing}`, named.base).href, { waitUntil: "load" });
  await settled(page);
  const sent = posts.length, at = page.url();
  await press("a");
  check(await acts() === 0 && posts.length === sent && page.url() === at, "a key filed something");
  await press("h");
  check(await focus() === "until", `h leads to ${await focus()}`);
  if (!phone) {
    await page.evaluate(() => document.activeElement.blur());
    await press("?");
    check(await page.evaluate(() => document.getElementById("keys").open), "? opens no help");
    const routine = page.locator(".with-pick > a").first();
    await routine.focus();
    await press("x");
    check(await page.locator('input[name="pick"]:checked').count() === 1, "x ticks nothing");
  }

  // keys turned off: nothing happens
  await page.goto(new URL("/inbox", named.base).href, { waitUntil: "load" });
  await settled(page);
  await page.locator("#keys > summary").focus();
  await press("Enter");
  await tabTo('button[name="keys"][value="off"]');
  await settle(() => press("Enter"));
  const quiet = posts.length, here = page.url(), was = await focus();
  for (const key of ["j", "k", "a", "e", "b", "r", "h", "d", "x", "?", "/"]) await press(key);
  check(await acts() === 0 && posts.length === quiet && page.url() === here && await focus() === was, `with keys off the focus went to ${await focus()}, ${posts.length - quiet} forms were sent`);
  check(await page.locator('input[name="pick"]:checked').count() === 0, "with keys off x ticked a row");
  if (faults.length) throw new Error(faults.join("\n"));
}
try {
  await run();
  console.log("ok");
} catch (e) {
  await page.screenshot({ path: join(named.out, `inbox-failed-${width}.png`) });
  console.error(`FAILED: ${e.message}\nat ${page.url()}\n${(await page.locator("main").innerText()).slice(0, 800)}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
