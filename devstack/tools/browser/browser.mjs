// browser.mjs starts the browser the same way for every check.
import { chromium } from "playwright-core";

// Debian's Chromium; playwright-core brings none of its own.
const executablePath = process.env.GAVEL_CHROMIUM || "/usr/bin/chromium";

export function start() {
  return chromium.launch({
    executablePath,
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), // Chromium refuses its sandbox to root
      "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
  });
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

export function signedIn(base, token) {
  return { name: "gavel_dev", value: token, url: base, httpOnly: true, sameSite: "Lax" };
}

// whole takes a picture of a whole page. The page is made as high as it is long first:
// a screenshot with fullPage forgets for its moment that a finger points at the page.
export async function whole(page, path) {
  const { width, height } = page.viewportSize();
  const long = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.min(Math.max(long, height), 16000) });
  await page.screenshot({ path });
  await page.setViewportSize({ width, height });
}
