// deeds.mjs is what several walks through a demonstration do: decide, and have a stranger
// verify what came of it.
import { join } from "node:path";
import { visitor } from "./browser.mjs";
import { patience } from "./state.mjs";

// What is promised of a decision: what was found is read without a press, something weighty is
// decided with two, and on a phone the bar leaves three quarters of the screen.
const mostPresses = 2, mostBar = 0.25, phoneWidth = 640;

// inSight says whether what was found is before somebody's eyes, unscrolled and above the bar,
// and how much of the screen the bar takes.
export async function inSight(page) {
  return page.evaluate(() => {
    const found = document.querySelector(".finding-says, .finding-panel .prose"), bar = document.querySelector("#proposal-bar .decision");
    const box = found?.getBoundingClientRect(), floor = bar ? bar.getBoundingClientRect().top : innerHeight;
    return { read: Boolean(box) && box.height > 0 && box.top >= 0 && box.bottom <= floor, bar: bar ? bar.getBoundingClientRect().height / innerHeight : 0, width: innerWidth };
  });
}

// must read what was found before anything is pressed.
async function informed(page) {
  await page.locator(".finding-says, .finding-panel .prose").first().waitFor();
  const seen = await inSight(page);
  if (!seen.read) throw new Error("what was found is not in sight without a press");
  if (seen.width < phoneWidth && seen.bar > mostBar) throw new Error(`the bar takes ${Math.round(seen.bar * 100)} % of a phone`);
  return seen;
}

// looks opens a case and reads what was found, as who decides nothing does.
export async function looks(page, base, at) {
  const began = Date.now();
  await page.goto(new URL(at.split("#")[0], base).href);
  await informed(page);
  return `finding in sight, 0 presses, ${((Date.now() - began) / 1000).toFixed(1)} s`;
}

// decide approves the first thing in the inbox, and reads the record that this makes. It
// answers with the address of the case, and tells what it took: presses from where the
// finding is read to the decision, and seconds from opening it. Who may not read the log
// is led to no record.
export async function decide(page, base, from, tell = () => {}, { log = true } = {}) {
  for (const began = Date.now(); ; await page.waitForTimeout(2000)) {
    await page.goto(new URL(from, base).href);
    if (await page.locator("ol.rows li.item a").count()) break;
    if (Date.now() - began > patience) throw new Error("nothing waits");
  }
  const proposal = await page.locator("ol.rows li.item a").first().evaluate((a) => new URL(a.href).searchParams.get("open") || a.href.split("/").pop());
  const began = Date.now();
  let presses = 0;
  const press = (what) => { presses++; return what.click(); };
  await page.goto(new URL(`/proposals/${proposal}`, base).href);
  await page.waitForSelector("#decide");
  const seen = await informed(page);
  const filing = page.locator("a[data-answer=file]"); // what is filed is filed with a reason
  if (await filing.count()) {
    if (from.includes("airshed")) {
      const paper = await page.request.get(new URL(await page.locator(".papers a").first().getAttribute("href"), base).href);
      if (paper.status() !== 200 || !(await paper.text()).includes("CAQM-")) throw new Error("what would be filed cannot be read");
    }
    await press(filing.first());
    await page.locator("#decide textarea[name=reason]").fill("It follows from what is on the case.");
    await press(page.locator("#decide button[type=submit]").first());
  } else {
    await press(page.locator("#decide button[data-answer=approve]").first());
  }
  await page.getByText("is on record").first().waitFor();
  if (presses > mostPresses) throw new Error(`${presses} presses to decide ${proposal}`);
  tell(`${presses} presses, ${((Date.now() - began) / 1000).toFixed(1)} s, the bar ${Math.round(seen.bar * 100)} % of the screen`);
  if (log) {
    await page.getByText("You just made").waitFor();
    const back = page.url();
    await page.getByRole("link", { name: "Verify it" }).click();
    await page.getByText("Hash of the entry").first().waitFor();
    await page.goto(back);
  }
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
