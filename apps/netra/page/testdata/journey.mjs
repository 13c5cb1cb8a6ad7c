// journey.mjs goes the way of a district officer on a phone and of an analyst at a desk: from the board to the district that moved most,
// to the answer why, and to what scores were worth. No address is typed but the first.
//
//   node --input-type=module - --base URL --officer TOKEN --analyst TOKEN --out SHOTS < journey.mjs   (in devstack/tools/browser)
import { join } from "node:path";
import { options, sideways, start, visitor } from "./browser.mjs";

const { named } = options(process.argv.slice(2));
const browser = await start();

async function journey(role, width, way) {
  const context = await visitor(browser, { base: named.base, token: named[role] }, { viewport: { width, height: 760 }, hasTouch: width < 600, isMobile: width < 600, reducedMotion: "reduce" });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (e) => faults.push(`script: ${e.message}`));
  page.on("console", (m) => { if (m.type() === "error") faults.push(`console: ${m.text()}`); });
  let step = 0;
  const here = async (name) => { // what is seen at each step
    await page.screenshot({ path: join(named.out, `netra-journey-${role}-${++step}-${name}.png`) });
    const wide = await sideways(page);
    if (wide > 0) faults.push(`${name} scrolls sideways by ${wide} px`);
  };
  try {
    await page.goto(new URL("/netra", named.base).href);
    await way(page, here);
    if (faults.length) throw new Error(faults.join("\n"));
    console.log(`ok    ${role}: ${step} pages`);
  } catch (e) {
    throw new Error(`${role}: ${e.message}\n${page.url()}\n${(await page.locator("body").innerText().catch(() => "")).slice(0, 800)}`);
  } finally {
    await context.close();
  }
}

const first = (page) => page.locator("main table th a").first(); // the district that moved most

try {
  await journey("officer", 360, async (page, here) => {
    await here("board");
    const name = await first(page).innerText();
    await first(page).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await here("district");
    await page.getByRole("button", { name: "Why is it flagged?" }).click();
    await page.waitForURL(/\/netra\/briefings\/NBR-/);
    const said = await page.locator("main p.lede").innerText();
    if (!said.startsWith(`${name}: score`)) throw new Error(`the answer does not begin with what was found: ${said}`);
    await here("answer");
    await page.getByRole("link", { name, exact: true }).first().click();
    await page.getByText("Asked before").waitFor();
    await here("asked");
  });
  await journey("analyst", 1280, async (page, here) => {
    await page.getByRole("link", { name: "7 days" }).first().click();
    await page.waitForURL(/window=168/);
    await here("board");
    await first(page).click();
    await page.waitForURL(/districts\/\d+.*window=168/);
    await page.locator("main h2, main h3").first().waitFor();
    await here("district");
    await page.goto(new URL("/netra", named.base).href);
    await page.locator('main a[href*="/netra/validation"]').first().click();
    await page.waitForURL(/\/netra\/validation/);
    await page.locator("main h1").waitFor();
    await here("worth");
  });
} finally {
  await browser.close();
}
