// newapp.mjs has a case of a new application opened, decided and verified, as its developer
// would in a demonstration of it: an analyst asks on its page, an officer finds what the agent
// proposes in the inbox and approves it, the answer is on the page, and a stranger verifies the
// case's file.
//
//   node newapp.mjs --base http://127.0.0.1:8080 --out shots --app permits
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { options, start, visitor, whole } from "./browser.mjs";
import { decide, verified } from "./deeds.mjs";
import { patience } from "./state.mjs";

const { named } = options(process.argv.slice(2));
if (!named.base || !named.out || !named.app) {
  console.error("usage: node newapp.mjs --base URL --out DIR --app NAME");
  process.exit(2);
}
const browser = await start();
await mkdir(named.out, { recursive: true });
const at = (path) => new URL(path, named.base).href;
const question = "When is the office open?";

// as does something in a role, in a window of its own, from the first page on.
async function as(role, then) {
  const context = await visitor(browser, {}, { acceptDownloads: true, locale: "en" });
  const page = await context.newPage();
  page.on("pageerror", (e) => { throw e; });
  try {
    await page.goto(named.base);
    await page.locator(`#be-north button[value=${role}]`).click();
    await page.waitForLoadState();
    const said = await then(page);
    console.log(`ok    ${role}: ${said}`);
    return said;
  } catch (e) {
    await page.screenshot({ path: join(named.out, "failed.png") });
    throw new Error(`${role}: ${e.message}\n${page.url()}\n${(await page.locator("body").innerText().catch(() => "")).slice(0, 800)}`);
  } finally {
    await context.close();
  }
}

// answered looks at the application's page until the answer of the question is there.
async function answered(page) {
  for (const began = Date.now(); ; await page.waitForTimeout(1000)) {
    await page.goto(at(`/${named.app}`));
    const cell = page.locator("tr", { hasText: question }).locator("td");
    if (/nine to five/.test(await cell.innerText())) return;
    if (Date.now() - began > patience) throw new Error("the answer does not come");
  }
}

try {
  await as("analyst", async (page) => {
    await page.goto(at(`/${named.app}`));
    await page.getByLabel("Question").fill(question);
    await page.getByRole("button", { name: "Ask" }).click();
    await page.waitForURL(/\/cases\/case_/);
    await page.getByRole("heading", { name: question }).first().waitFor();
    return `a case is open at ${new URL(page.url()).pathname}`;
  });
  await as("officer", async (page) => {
    const file = await decide(page, named.base, `/inbox?app=${named.app}`);
    await answered(page);
    await whole(page, join(named.out, "answered.png"));
    return `decided, ${await verified(browser, page, named.base, file, named.out)}`;
  });
  console.log("a case was opened, proposed, decided and verified");
} finally {
  await browser.close();
}
