// The app at the gate, in Chromium with a camera that shows a film, on a network that the test cuts. Its Go test says what is promised.
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { how, options, seen, sideways } from "./browser.mjs";
import { patience } from "./state.mjs";

const { named } = options(process.argv.slice(2));
const faults = [];
const control = (what) => fetch(`${named.control}/${what}`);
const want = (is, what) => { if (!is) faults.push(what); console.log(`${is ? "ok  " : "FAIL"}  ${what}`); };

// open starts the browser as it was left, with a film before its camera.
async function open(film) {
  const context = await chromium.launchPersistentContext(named.profile, { ...how, args: [...how.args, "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream", `--use-file-for-fake-video-capture=${film}`],
  viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, locale: "en-IN", colorScheme: "light", permissions: ["camera"] });
  context.setDefaultTimeout(patience);
  const page = context.pages()[0] ?? await context.newPage();
  page.on("pageerror", (e) => faults.push(`the page fails: ${e}`));
  page.on("console", (m) => { if (m.type() === "error" && !/ERR_|Failed to load resource|service worker/i.test(m.text())) faults.push(`the console says: ${m.text()}`); });
  return { context, page };
}

// at waits for a screen, and shows what is there instead.
const at = (page, screen) => page.waitForSelector(`#main[data-screen=${screen}]`).catch(async (e) => {
  await page.screenshot({ path: join(named.out, "gate-failed.png") });
  throw new Error(`${screen} does not come: ${await page.textContent("#main")}; ${faults.join("; ")}`, { cause: e });
});
const net = (page, words) => page.waitForFunction((w) => new RegExp(w).test(document.getElementById("net-words")?.textContent ?? ""), words);
const sync = (page) => page.evaluate(() => dispatchEvent(new Event("online")));

// until waits for what the device remembers: one thing of a store, or all of it.
async function until(page, store, key, is) {
  const kept = ([store, key]) => new Promise((done, failed) => {
    const ask = indexedDB.open("gavel-gate");
    ask.onerror = () => failed(ask.error);
    ask.onsuccess = () => {
      const all = ask.result.transaction(store).objectStore(store), got = key ? all.get(key) : all.getAllKeys();
      got.onsuccess = () => { ask.result.close(); done(got.result); };
    };
  });
  for (const end = Date.now() + patience; !is(await page.evaluate(kept, [store, key]));) {
    if (Date.now() > end) throw new Error(`the device never comes to remember ${key ?? store} so`);
    await new Promise((next) => setTimeout(next, 100));
  }
}

// word is the verdict on what was typed.
async function word(page, text) {
  await at(page, "scan");
  await page.click("#type");
  await page.fill("#code", text);
  await page.click("#go");
  await at(page, "verdict");
  return page.$eval("#answer", (el) => `${el.dataset.word} ${el.dataset.reason}`.trim());
}

async function back(page) {
  await page.click("#back");
  await at(page, "scan");
}

// through lets somebody through whose verdict is shown.
async function through(page) {
  for (const box of await page.$$("input[name=item]")) await box.check();
  await page.click("#take");
  await at(page, "photo");
  await page.waitForFunction(() => document.querySelector("video")?.videoWidth > 0);
  await page.click("#shoot");
  await at(page, "confirm");
  const size = await page.$eval(".gate-taken", async (img) => { await img.decode(); return { side: Math.max(img.naturalWidth, img.naturalHeight), bytes: Number(img.dataset.bytes) }; });
  want(size.side > 600 && size.side <= 1600 && size.bytes <= 400 * 1024, `the photo has ${size.side} px and ${size.bytes} bytes`);
  await page.click("#confirm");
  await at(page, "done");
  const saved = await page.$("#saved") !== null;
  await back(page);
  return saved;
}

// fit looks at a screen as people have it: by axe, and for whether it scrolls sideways.
async function fit(page, name) {
  seen(name);
  const found = (await new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"], preload: false }).analyze()).violations
    .filter((v) => ["serious", "critical"].includes(v.impact));
  for (const v of found) faults.push(`${name}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
  const wide = await sideways(page);
  want(!found.length && wide <= 0, `${name} is fit for people`);
  await page.screenshot({ path: join(named.out, `${name}.png`) });
}

let { context, page } = await open(named.film);
await page.goto(`${named.base}/gatepass/gate`);
await at(page, "verdict");
want(await page.$eval("#answer", (el) => el.dataset.word) === "out", "the camera reads the code, and the word is GO OUT");
await fit(page, "gate-out");
want(!await through(page), "online nothing is left to be sent");
await context.close();

({ context, page } = await open(named.wall));
await page.goto(`${named.base}/gatepass/gate`);
await page.waitForSelector("html[data-ready]");
await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
await page.reload();
await page.waitForSelector("html[data-ready]");
await fit(page, "gate-scan");
await control("revoke");
await sync(page);
await until(page, "said", "bundle", (b) => Object.keys(b?.revoked ?? {}).length > 0);

await control("off");
await page.reload();
await at(page, "scan");
await net(page, "Offline");
want(true, "with the network off it is there after a reload");
for (const [text, say] of [[named.forged, "stop forged"], [named.over, "stop expired"], [named.dead, "stop revoked"], ["GP-2026-0001", "ask online_only"], ["hello", "stop unreadable"]]) {
  const got = await word(page, text);
  want(got === say, `alone, ${say}: got ${got}`);
  if (say === "stop revoked") await fit(page, "gate-stop");
  await back(page);
}
want(await word(page, named.good) === "out", "alone, a good code goes out");
want(await through(page), "what is let out alone is kept on the device");
await net(page, "1 waiting");
await page.reload();
await net(page, "1 waiting");
await context.close();

({ context, page } = await open(named.wall));
await page.goto(`${named.base}/gatepass/gate`);
await net(page, "Offline, 1 waiting");
want(true, "with the network off it is there after a restart, with what waits");
want(await word(page, named.good) === "in", "alone, who is out comes in");
await page.click("#take");
await at(page, "ask");
await fit(page, "gate-ask");
await page.click("#back");
await at(page, "verdict");
want(await through(page), "what is let in alone is kept on the device");
want((await word(page, named.good)).startsWith("stop already_back"), "alone, the same code is used once");
await back(page);
await page.click("#shift");
await page.waitForSelector("#sum");
want((await page.textContent("#main")).includes("2 records"), "the end of a shift says what waits");
await back(page);

await control("on");
await sync(page);
await net(page, "^Online$");
want(true, "back on the network, everything is sent");
await until(page, "photos", null, (all) => all.length === 0);
await page.click("#find");
await page.fill("#name", "sun");
await page.click("#found button");
await at(page, "verdict");
want(await page.$eval("#answer", (el) => el.dataset.word) === "out", "a name is found");
await page.click("#back");
await at(page, "scan");
await control("busy");
want(await word(page, named.rush) === "out", "in a rush, a good code goes out");
want(await through(page), "what is let out while the server has no turn is kept on the device");
await control("on");
await sync(page);
await until(page, "photos", null, (all) => all.length === 0);
await net(page, "^Online$");
await page.click("#lang");
await page.click("#night");
want(await page.evaluate(() => document.documentElement.lang === "hi" && document.documentElement.dataset.theme === "dark"), "Hindi, by night");
await fit(page, "gate-scan-hi-night");
await page.click("#shift");
await page.waitForSelector("#sum");
await fit(page, "gate-shift-hi-night");
await page.click("#back");
await word(page, named.code);
await fit(page, "gate-out-hi-night");
const can = await (await context.newCDPSession(page)).send("Page.getInstallabilityErrors").catch((e) => ({ installabilityErrors: [String(e)] }));
want(!can.installabilityErrors.length, `it can be installed: ${JSON.stringify(can.installabilityErrors)}`);
await context.close();
if (faults.length) {
  console.error(faults.join("\n"));
  process.exit(1);
}
