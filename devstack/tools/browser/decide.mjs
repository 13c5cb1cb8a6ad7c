// decide.mjs decides proposals as a person does, with script and without: a form that
// nobody touched comes back as it was, a double click decides once, and a page that
// moved by itself in between still sends its own decision.
//
//   node decide.mjs --base URL --token TOKEN --control URL --edit /proposals/P-1 --click /proposals/P-2 --moved /proposals/P-3
import { options, seen, start, visitor } from "./browser.mjs";

const { named } = options(process.argv.slice(2));
const tell = async (what) => {
  const res = await fetch(`${named.control}/${what}`, { method: "POST" });
  if (!res.ok) throw new Error(`${what}: ${await res.text()}`);
};
const browser = await start();
async function visit(path, script, then) {
  const context = await visitor(browser, named, { javaScriptEnabled: script });
  const page = await context.newPage();
  page.on("pageerror", (e) => { throw e; });
  await page.goto(new URL(path, named.base).href, { waitUntil: "load" });
  try {
    await then(page);
  } catch (e) {
    throw new Error(`${path}, script ${script}: ${e.message}\n${(await page.locator("main").innerText()).slice(0, 600)}`);
  } finally {
    await context.close();
  }
}
for (const page of ["edit", "click", "moved"]) seen(`decide-${page}`);
try {
  for (const script of [true, false]) {
    await visit(`${named.edit}/edit`, script, async (page) => {
      await page.getByRole("button", { name: "Check the changes" }).last().click();
      await page.getByText("You changed nothing").waitFor();
    });
  }
  await visit(`${named.edit}/edit`, false, async (page) => { // Enter in a line checks; it removes no row
    await page.getByLabel("What").first().fill("two laptops");
    await page.getByLabel("What").first().press("Enter");
    await page.getByText("Your changes: 1").waitFor();
    await page.getByRole("button", { name: "Change again" }).click();
    await page.getByRole("button", { name: "Add a row to Items" }).click();
    await page.getByRole("button", { name: /^Remove row 1 *Items/ }).click();
    await page.getByLabel("What").last().fill("keys");
    await page.getByLabel("Count").last().fill("3");
    await page.getByRole("button", { name: "Check the changes" }).last().click();
    await page.getByRole("button", { name: /as changed$/ }).click();
    await page.getByText("Your approval, with your changes, is on record").waitFor();
  });
  await visit(`${named.click}?answer=reject`, true, async (page) => { // the cursor is in the reason, and the page has not moved
    await page.waitForFunction(() => document.activeElement?.name === "reason");
    if (await page.evaluate(() => scrollY) !== 0) throw new Error("the page was scrolled");
    const reported = page.waitForRequest((r) => r.url().endsWith("/opened") && r.postData().includes("what=page"));
    await page.evaluate(() => { setInterval(() => document.dispatchEvent(new Event("submit")), 100); }); // as when a form is sent, until seconds were counted
    if ((await (await reported).response()).status() !== 204) throw new Error("what was open was not taken");
  });
  await visit(named.click, true, async (page) => {
    await page.getByRole("button", { name: "Send letter", exact: true }).dblclick();
    await page.getByText("Your approval is on record").waitFor();
  });
  await visit(named.moved, true, async (page) => {
    await page.waitForSelector("[data-live-status][data-state=live]");
    await page.evaluate(() => { document.getElementById("proposal-bar").dataset.old = "1"; });
    await tell("sign"); // somebody else signs: the bar is drawn anew
    await page.waitForFunction(() => document.getElementById("proposal-bar").dataset.old === undefined);
    await page.getByRole("button", { name: "Sign 2 of 2: Send letter" }).click();
    await page.getByText("Your approval is on record").waitFor();
  });
  console.log("ok");
} finally {
  await browser.close();
}
