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
