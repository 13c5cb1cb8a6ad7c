// reports.mjs is what an analyst and a checker do with the report of a demonstration, as their guides say it.
import { join } from "node:path";
import { patience, settled } from "./state.mjs";

const at = (base, part) => new URL(`/reportagent/newest?part=${encodeURIComponent(part)}`, base).href;

// redrafts is an analyst: a newer run turned a conclusion, so what it changed is drafted again; a number is followed to its cell, and a
// sentence typed, which is there again and then saved.
export async function redrafts(page, base, out) {
  const began = Date.now();
  await page.goto(at(base, "changes"));
  await page.getByText("Conclusions that turn").first().waitFor();
  const changes = page.url();
  await page.getByRole("button", { name: "Draft these sections again" }).click();
  for (;;) {
    await page.goto(changes);
    const done = await page.getByText("Nothing changed").or(page.getByRole("button", { name: "Draft these sections again" })).count();
    if (done && !await page.getByText("Conclusions that turn").count()) break; // before that a draft would come between the words
    if (Date.now() - began > patience) throw new Error("the sections are not drafted again");
    await page.waitForTimeout(1000);
  }
  await still(page, at(base, "sections/net-emissions"));
  const number = page.locator(".rp-number").first();
  await number.click();
  const card = page.locator(`#${await number.getAttribute("popovertarget")}`);
  await card.waitFor({ state: "visible" });
  if (!/\.csv/.test(await card.innerText())) throw new Error("the card of a number names no file");
  await page.keyboard.press("Escape");
  await page.locator("#write > summary").click();
  const words = "The harbour has no refinery.";
  await page.locator("form[data-unsent] textarea").press("ControlOrMeta+End");
  await page.locator("form[data-unsent] textarea").pressSequentially(`\n\n${words}`);
  await page.waitForFunction(() => document.querySelector("form[data-unsent]").dataset.state === "saved");
  await page.reload();
  if (!(await page.locator("form[data-unsent] textarea").inputValue()).endsWith(words)) throw new Error("what was typed is gone");
  await page.locator("form[data-unsent] button[type=submit]").click();
  await page.waitForURL(/done=text/);
  if (!await page.locator("#versions ins").filter({ hasText: "refinery" }).count()) throw new Error("the versions do not show what was written");
  await settled(page);
  await page.screenshot({ path: join(out, "report-analyst.png"), fullPage: true });
  return `what a newer run changed is drafted again, a sentence written, ${((Date.now() - began) / 1000).toFixed(1)} s`;
}

// still opens a section, and opens it again until no draft has come for five seconds: templates word it first, and the model a moment
// later. Whoever types between them is told that the text changed elsewhere, which is another journey.
async function still(page, section) {
  for (let was = "", same = 0; same < 5; await page.waitForTimeout(1000)) {
    await page.goto(section);
    const now = await page.locator("form[data-unsent] [name=was]").inputValue();
    same = now === was ? same + 1 : 0;
    was = now;
  }
}

// scores is a checker: a section is scored, a note left, and the version marked as read.
export async function scores(page, base, out) {
  await page.goto(at(base, "sections/road-transport"));
  for (const part of ["accuracy", "completeness", "clarity", "data_use"]) await page.locator(`input[name=${part}][value="4"]`).check();
  await page.locator("form[action$='/rating'] button[type=submit]").click();
  await page.waitForURL(/done=rating/);
  await page.locator("form[action$='/notes'] textarea").fill("Name the year in which electric cars lead.");
  await page.locator("form[action$='/notes'] button[type=submit]").click();
  await page.waitForURL(/done=note/);
  if (!await page.locator("q", { hasText: "Name the year in which electric cars lead." }).count()) throw new Error("the note is not shown");
  await page.screenshot({ path: join(out, "report-checker.png"), fullPage: true });
  return "a section is scored and noted";
}
