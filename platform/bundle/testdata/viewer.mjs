// viewer.mjs opens a bundle's index.html from disk and fails on what a person
// would trip over: an error in the console, a request, a serious finding of
// axe-core, a page that scrolls sideways, a check that does not come out right.
//
//   node --input-type=module - FOLDER SHOTS < viewer.mjs   (in devstack/tools/browser)
import { writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { seen, sideways, start, visitor } from "./browser.mjs";

const [folder, shots] = process.argv.slice(2);
const address = pathToFileURL(join(folder, "index.html")).href;
const faults = [];
const expect = (ok, text) => { if (!ok) faults.push(text); };

async function open(browser, width, colorScheme) {
  const context = await visitor(browser, {}, { viewport: { width, height: 900 }, colorScheme, hasTouch: width < 600, isMobile: width < 600, reducedMotion: "reduce" });
  const page = await context.newPage();
  const name = `${width} ${colorScheme}`;
  page.on("console", (m) => faults.push(`${name}: console ${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => faults.push(`${name}: script: ${e.message}`));
  page.on("request", (r) => { if (r.url() !== address && !r.url().startsWith("data:")) faults.push(`${name}: asked for ${r.url()}`); });
  await page.goto(address, { waitUntil: "load" });
  await page.waitForSelector("html[data-ready=yes]");
  await page.waitForFunction(() => document.querySelectorAll(".steps .dot.ok, .steps .dot.bad").length >= 2);
  return page;
}

async function look(browser, width, scheme) {
  const page = await open(browser, width, scheme);
  const wide = await sideways(page);
  expect(wide <= 0, `${width} ${scheme}: scrolls sideways by ${wide} px`);
  expect(await page.locator(".steps .dot.ok").count() === 2, `${width} ${scheme}: the page's own two checks do not hold`);
  for (const fold of await page.locator("#part-facts details.fold > summary").all()) await fold.click();
  expect(await page.locator("#part-facts .tree li").count() > 3, `${width} ${scheme}: no formula tree opens`);
  const decided = await page.locator("#part-decisions").textContent();
  expect(decided.includes("Deputy analyst for Test officer (officer, delegated until "), `${width} ${scheme}: it does not say who decided for whom`);
  expect(decided.split("was a test").length === 4, `${width} ${scheme}: it does not say of three proposals that they were tests`);
  const ask = new AxeBuilder({ page });
  if (width !== 360 || scheme !== "light") ask.withRules(["color-contrast", "target-size"]); // the rest is as in the first view
  const { violations } = await ask.analyze();
  for (const v of violations) faults.push(`${width} ${scheme}: axe ${v.impact} ${v.id}: ${v.help} (${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join("; ")})`);
  await page.screenshot({ path: join(shots, `bundle-${width}-${scheme}.png`), fullPage: true });
  await page.context().close();
}

async function choose(browser) {
  const page = await open(browser, 1280, "light");
  const third = page.locator(".steps > li").nth(2);
  await page.locator("#folder").setInputFiles(folder);
  await third.locator(".dot.ok").waitFor().catch(() => faults.push("the unpacked folder is not found to be as listed"));
  await page.locator("#several").setInputFiles([join(folder, "manifest.json"), join(folder, "README.md")]);
  await third.locator(".dot.ok").waitFor().catch(() => faults.push("manifest.json and README.md are not found to be as listed"));
  const changed = join(shots, "README.md");
  await writeFile(changed, "something else");
  await page.locator("#several").setInputFiles([join(folder, "manifest.json"), changed]);
  await third.locator(".dot.bad").waitFor().catch(() => faults.push("a changed README.md is not noticed"));
  expect((await third.textContent()).includes("README.md"), "a changed README.md is not named");
  await page.locator("#find").fill("mean");
  expect(await page.locator("#part-facts tbody tr").count() === 1, "finding a fact does not narrow the list");
  await page.context().close();
}

await mkdir(shots, { recursive: true });
const browser = await start();
seen("viewer");
try {
  for (const width of [360, 1280]) for (const scheme of ["light", "dark"]) await look(browser, width, scheme);
  await choose(browser);
} finally {
  await browser.close();
}
for (const f of faults) console.log(f);
console.log(faults.length === 0 ? "the viewer is well" : `${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
