// The card of a number, opened in Chromium on a desk, a tablet and a phone. Its Go test says what is promised.
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { options, sideways, start, visitor } from "./browser.mjs";

const { named } = options(process.argv.slice(2));
const faults = [];
const want = (is, what) => { if (!is) faults.push(what); console.log(`${is ? "ok  " : "FAIL"}  ${what}`); };

const browser = await start();
try {
  for (const [name, width, height] of [["desk", 1280, 800], ["tablet", 820, 1180], ["phone", 360, 740]]) {
    const context = await visitor(browser, { base: named.base, token: named.token }, { viewport: { width, height } });
    const page = await context.newPage();
    page.on("pageerror", (e) => faults.push(`the page fails: ${e}`));
    await page.goto(new URL(named.at, named.base).href);
    const number = page.locator(".rp-number").first();
    const card = page.locator(`#${await number.getAttribute("popovertarget")}`);
    want(!await card.isVisible(), `${name}: the card is closed at first`);
    await number.focus();
    await page.keyboard.press("Enter");
    await card.waitFor({ state: "visible" });
    const box = await card.boundingBox();
    want(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, `${name}: the card is on the screen`);
    want((await card.innerText()).includes("energy/use_by_fuel.csv"), `${name}: it names the file`);
    want(await sideways(page) <= 0, `${name}: nothing scrolls sideways`);
    const found = (await new AxeBuilder({ page }).analyze()).violations.filter((v) => ["serious", "critical"].includes(v.impact));
    want(found.length === 0, `${name}: axe finds nothing serious ${found.map((v) => v.id)}`);
    await page.screenshot({ path: join(named.out, `report-card-${name}.png`) });
    await page.keyboard.press("Escape");
    want(!await card.isVisible(), `${name}: Escape closes it`);
    await context.close();
  }
} finally {
  await browser.close();
}
if (faults.length) {
  console.error(faults.join("\n"));
  process.exit(1);
}
