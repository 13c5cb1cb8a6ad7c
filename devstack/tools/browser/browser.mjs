// browser.mjs is what all checks have in common: the browser, who visits, and what is
// kept of it.
import { appendFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { patience, watch } from "./state.mjs";

// how the browser is started: Debian's Chromium; playwright-core brings none of its own.
export const how = {
  executablePath: process.env.GAVEL_CHROMIUM || "/usr/bin/chromium",
  args: [
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), // Chromium refuses its sandbox to root
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
};

// start is the browser that share.mjs holds for all checks, or one of this check's own.
// Should the shared one have died, only the check that was in it then is lost.
export async function start() {
  if (process.env.BROWSER_WS) {
    try {
      return await chromium.connect(process.env.BROWSER_WS);
    } catch (e) {
      console.log(`note  the shared browser does not answer; this check starts its own (${String(e.message).split("\n")[0]})`);
    }
  }
  return chromium.launch(how);
}

// hard is whether a time that is promised fails a check or is only printed: times say
// something on a machine that does nothing else.
export const hard = process.env.TIMES === "hard";

// seen notes that a page was put before a browser, for the count at the end of .ci/pages.
export function seen(name) {
  if (process.env.PAGES_SEEN) appendFileSync(process.env.PAGES_SEEN, `${process.env.PAGES_OF || "nobody"} ${name}\n`);
}

// visitor is somebody with a browser window of their own, which shares nothing with the
// other windows: who is { base, token, cookies }.
export async function visitor(browser, { base, token, cookies = [] }, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(patience);
  await context.addInitScript(watch);
  if (token) cookies = [...cookies, signedIn(base, token)];
  if (cookies.length) await context.addCookies(cookies);
  return context;
}

// options reads --name value pairs; what is left are plain arguments.
export function options(argv) {
  const named = {}, plain = [];
  for (let i = 0; i < argv.length; i++) {
    if (argv[i].startsWith("--")) named[argv[i].slice(2)] = argv[++i];
    else plain.push(argv[i]);
  }
  return { named, plain };
}

// cookie is one written as name=value.
export function cookie(base, text) {
  const at = text.indexOf("=");
  return { name: text.slice(0, at), value: text.slice(at + 1), url: base, httpOnly: true, sameSite: "Lax" };
}

export const signedIn = (base, token) => cookie(base, `gavel_dev=${token}`);

// sideways is by how many px a page is wider than its window.
export const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

// whole takes a picture of a whole page. The page is made as high as it is long first:
// a screenshot with fullPage forgets for its moment that a finger points at the page.
export async function whole(page, path) {
  const { width, height } = page.viewportSize();
  const long = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.min(Math.max(long, height), 16000) });
  await page.screenshot({ path });
  await page.setViewportSize({ width, height });
}
