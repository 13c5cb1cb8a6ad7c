// pictures.mjs takes the pictures of README and documents in a demonstration: what they show is
// what whoever starts one sees.
//
//   node pictures.mjs --base http://127.0.0.1:8080 --out shots --to docs/pictures
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { options, start, visitor } from "./browser.mjs";
import { patience } from "./state.mjs";

const { named } = options(process.argv.slice(2));
if (!named.base || !named.to) {
  console.error("usage: node pictures.mjs --base URL --out DIR --to DIR");
  process.exit(2);
}
const desk = (height) => ({ viewport: { width: 1280, height }, deviceScaleFactor: 0.75 });
const phone = { viewport: { width: 360, height: 760 }, isMobile: true, hasTouch: true };
const browser = await start();
await mkdir(named.to, { recursive: true });

// take opens a page as a role and takes its picture; open leads to the page.
async function take(name, role, how, open) {
  const context = await visitor(browser, {}, { locale: "en", colorScheme: "light", ...how });
  try {
    const page = await context.newPage();
    await page.goto(named.base);
    await page.locator(`#be-north button[value=${role}]`).click();
    await page.getByRole("heading", { name: "What to try first" }).waitFor();
    await open(page);
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(named.to, `${name}.jpg`), type: "jpeg", quality: 82, scale: "device" });
    console.log(`took  ${name}.jpg`);
  } finally {
    await context.close();
  }
}

const go = (path) => (page) => page.goto(new URL(path, named.base).href);

// waiting is the inbox once something waits there.
async function waiting(page, query = "") {
  for (const began = Date.now(); ; await page.waitForTimeout(2000)) {
    await go(`/inbox${query}`)(page);
    if (await page.locator("ol.rows li.item").count()) return;
    if (Date.now() - began > patience) throw new Error("nothing waits");
  }
}

try {
  await take("start", "programme_manager", desk(800), async () => {});
  await take("inbox", "programme_manager", desk(860), (page) => waiting(page));
  await take("case", "programme_manager", desk(1100), async (page) => {
    await waiting(page);
    await go(await page.locator("main a[href^='/cases/case_']").first().getAttribute("href"))(page);
  });
  await take("inbox-phone-hi", "programme_manager", phone, (page) => waiting(page, "?lang=hi"));
  await take("decision-phone", "programme_manager", phone, async (page) => {
    await waiting(page);
    const id = await page.locator("ol.rows li.item").first().evaluate((li) => li.id.replace("row-", ""));
    await go(`/proposals/${id}`)(page);
  });
  await take("outbox-phone", "auditor", phone, go("/outbox"));
  await take("docs", "auditor", desk(800), go("/docs"));
} finally {
  await browser.close();
}
