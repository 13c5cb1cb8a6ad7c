// deeds.mjs is what several walks through a demonstration do: decide, and have a stranger
// verify what came of it.
import { join } from "node:path";
import { visitor } from "./browser.mjs";
import { patience } from "./state.mjs";

// decide approves the first thing in the inbox that has a plain button for it, and reads the
// record that this makes. It answers with the address of the case.
export async function decide(page, base, from) {
  for (const began = Date.now(); ; await page.waitForTimeout(2000)) {
    await page.goto(new URL(from, base).href);
    if (await page.locator("ol.rows li.item a").count()) break;
    if (Date.now() - began > patience) throw new Error("nothing waits");
  }
  const proposal = await page.locator("ol.rows li.item a").first().evaluate((a) => new URL(a.href).searchParams.get("open") || a.href.split("/").pop());
  await page.goto(new URL(`/proposals/${proposal}`, base).href);
  await page.waitForSelector("#decide");
  const filing = page.locator("a[data-answer=file]"); // what is filed is filed with a reason
  if (await filing.count()) {
    const paper = await page.request.get(new URL(await page.locator(".papers a").first().getAttribute("href"), base).href);
    if (paper.status() !== 200 || !(await paper.text()).includes("CAQM-")) throw new Error("what would be filed cannot be read");
    await filing.first().click();
    await page.locator("#decide textarea[name=reason]").fill("It follows from what is on the case.");
    await page.locator("#decide button[type=submit]").first().click();
  } else {
    await page.locator("button[name=verdict][value=approve]").first().click();
  }
  await page.getByText("is on record").first().waitFor();
  await page.getByText("You just made").waitFor();
  const back = page.url();
  await page.getByRole("link", { name: "Verify it" }).click();
  await page.getByText("Hash of the entry").first().waitFor();
  await page.goto(back);
  return page.locator("a[href^='/cases/case_']").first().getAttribute("href");
}

// verified takes a case away and shows the file to the public page, as a stranger would.
export async function verified(browser, page, base, at, out) {
  const file = join(out, "case.zip");
  for (const began = Date.now(); ; await page.waitForTimeout(3000)) {
    await page.goto(new URL(at.split("#")[0], base).href);
    await page.locator("#take-case summary").click();
    const taken = page.waitForEvent("download", { timeout: 15_000 }).catch(() => null);
    await page.locator("#take-case button[type=submit]").click();
    const download = await taken;
    if (download) {
      await download.saveAs(file);
      break;
    }
    if (Date.now() - began > patience) throw new Error("the case does not come to rest"); // it says so, and is asked again
  }
  const stranger = await visitor(browser, {});
  try {
    const there = await stranger.newPage();
    await there.goto(new URL("/verify", base).href);
    await there.locator("input[type=file]").setInputFiles(file);
    await there.locator("form button[type=submit]").first().click();
    const said = there.locator("main [role=status] b").first();
    await said.waitFor({ timeout: patience });
    const words = await said.innerText();
    if (!/genuine/i.test(words) || /not genuine/i.test(words)) throw new Error(`the stranger is told: ${words}`);
    return words;
  } finally {
    await stranger.close();
  }
}
