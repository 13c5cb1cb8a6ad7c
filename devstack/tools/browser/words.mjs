// words.mjs watches a page on which an agent is writing: the words appear marked as
// not on record, and go when the step is.
//
//   node words.mjs --base URL --token TOKEN --control URL --want "step 1" /runs/run_…
import { options, seen, start, visitor } from "./browser.mjs";

const { named, plain } = options(process.argv.slice(2));
const tell = async (what) => {
  const res = await fetch(`${named.control}/${what}`, { method: "POST" });
  if (!res.ok) throw new Error(`${what}: ${await res.text()}`);
};
const browser = await start();
try {
  seen("words");
  const context = await visitor(browser, named);
  const page = await context.newPage();
  page.on("pageerror", (e) => { throw e; });
  await page.goto(new URL(plain[0], named.base).href, { waitUntil: "load" });
  await page.waitForSelector("[data-live-status][data-state=live]");
  const panel = page.locator("[data-words]"), said = page.locator("[data-words-text]");
  if (await panel.isVisible()) throw new Error("words are shown before any were written");
  await tell("say?try=1&text=Wrong");
  await said.getByText("Wrong").waitFor();
  await tell("say?try=2&text=Good+"); // another attempt at the same step starts over
  await tell("say?try=2&text=%3Cb%3Emorning%3C%2Fb%3E"); // text, never markup
  await page.waitForFunction(() => document.querySelector("[data-words-text]").textContent === "Good <b>morning</b>");
  if (!(await panel.getByText("Not on record yet").isVisible())) throw new Error("the words are not marked as provisional");
  await tell("record");
  await panel.waitFor({ state: "hidden" });
  await page.getByText(named.want, { exact: false }).first().waitFor();
  await tell("say?try=3&text=late"); // of a step that is on record by now
  await page.waitForFunction(() => window.heard.some((said) => said.includes("late")));
  if (await panel.isVisible()) throw new Error("words of a recorded step are shown");
  console.log("ok");
} finally {
  await browser.close();
}
