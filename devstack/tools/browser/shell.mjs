// shell.mjs proves what the frame around every page does by itself: "/" leads to the
// search, and to nothing for who turned keys off; the account's menu closes; a theme is
// there from the first paint.
//
//   node shell.mjs --base http://127.0.0.1:8080 /components
import { options, seen, start, visitor } from "./browser.mjs";

const { named, plain } = options(process.argv.slice(2));
const address = new URL(plain[0], named.base).href;
const browser = await start();
let failed = 0;
seen("components");
const must = (ok, text) => { if (!ok) throw new Error(text); };

async function promise(text, cookies, run, extra = {}) {
  const context = await visitor(browser, { cookies: Object.entries(cookies).map(([name, value]) => ({ name, value, url: named.base })) }, extra);
  try {
    const page = await context.newPage();
    await page.goto(address, { waitUntil: "load" });
    await run(page, context);
    console.log(`ok    ${text}`);
  } catch (err) {
    failed++;
    console.log(`FAIL  ${text}\n      ${String(err.message).split("\n")[0]}`);
  } finally {
    await context.close();
  }
}
const focused = (page) => page.evaluate(() => document.activeElement?.id || "");

try {
  await promise('"/" leads to the search, also from a page that is scrolled', {}, async (page) => {
    await page.mouse.wheel(0, 900);
    await page.keyboard.press("/");
    must(await focused(page) === "q", "the search has no focus");
    must(await page.inputValue("#q") === "", "the key was typed into it");
  });
  await promise('"/" in a field is a letter', {}, async (page) => {
    await page.focus("#g-reason");
    await page.keyboard.press("/");
    must(await page.inputValue("#g-reason") === "/", "the letter was taken away");
  });
  await promise("shortcuts off: no single key does anything", { gavel_keys: "off" }, async (page) => {
    const before = await page.evaluate(() => document.querySelector("main").innerHTML);
    for (const key of "abcdefghijklmnopqrstuvwxyz/?.".split("")) {
      await page.keyboard.press(key);
      must(await focused(page) === "", `${key} moved the focus`);
    }
    must(page.url() === address, "a key led elsewhere");
    must(await page.evaluate(() => document.querySelector("main").innerHTML) === before, "a key changed the page");
  });
  await promise("shortcuts are turned off on the page itself", {}, async (page) => {
    await page.click(".account > summary");
    await page.click("button[name=keys][value=off]");
    await page.waitForSelector("html[data-keys=off]");
    await page.keyboard.press("/");
    must(await focused(page) !== "q", "the key still leads to the search");
  });
  await promise("Escape and a click elsewhere close the menu", {}, async (page) => {
    const open = () => page.evaluate(() => document.querySelector("details.account").open);
    await page.click(".account > summary");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    must(!await open(), "Escape leaves it open");
    must(await page.evaluate(() => document.activeElement.matches(".account > summary")), "the focus is lost");
    await page.click(".account > summary");
    await page.click("h1");
    must(!await open(), "a click elsewhere leaves it open");
  });
  for (const [theme, scheme, ground] of [["dark", "light", "rgb(18, 20, 23)"], ["light", "dark", "rgb(245, 244, 240)"], ["", "dark", "rgb(18, 20, 23)"]]) {
    await promise(`the theme ${theme || "of the system"} is there without script`, { gavel_theme: theme || "system" }, async (page) => {
      const got = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      must(got === ground, `the ground is ${got}, want ${ground}`);
    }, { colorScheme: scheme });
  }
  await promise("letters of Hindi are this server's own", { gavel_lang: "hi" }, async (page) => {
    const fonts = await page.evaluate(async () => { await document.fonts.ready; return [...document.fonts].filter((f) => f.status === "loaded").map((f) => f.family); });
    must(fonts.some((f) => f.includes("Gavel Devanagari")), `loaded are ${fonts}`);
  });
  await promise("a page in English fetches no font", {}, async (page) => {
    const fetched = await page.evaluate(() => performance.getEntriesByType("resource").filter((r) => r.name.endsWith(".woff2")).length);
    must(fetched === 0, `${fetched} fonts were fetched`);
  });
  await promise("print is light, without bars, and says that it is a demonstration", { gavel_theme: "dark" }, async (page) => {
    await page.emulateMedia({ media: "print" });
    const got = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, ...[".topbar", ".rail", ".decision", ".toast"].map((s) => getComputedStyle(document.querySelector(s)).display), getComputedStyle(document.querySelector(".top .banner")).display]);
    must(got[0] === "rgb(255, 255, 255)" && got.slice(1, 5).every((d) => d === "none") && got[5] !== "none", got.join(", "));
  });
} finally {
  await browser.close();
}
process.exit(failed ? 1 : 0);
