// gallery.mjs takes the pictures a change of the stylesheet is held against: one page
// in each of the given views, without its scripts, so that nothing moves.
//
//   node gallery.mjs --base http://127.0.0.1:8080 --out DIR --views light-1280,dark-360,hi-1280,forced-1280 /components
//
// The letters are those of the fonts named here and not of whatever the machine has for
// "system-ui"; where one is missing the pictures would be of something else, and it says so.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { options, seen, sideways, start, visitor, whole } from "./browser.mjs";
import { painted } from "./state.mjs";

const { named, plain } = options(process.argv.slice(2));
if (!named.base || !named.out || !named.views || plain.length !== 1) {
  console.error("usage: node gallery.mjs --base URL --out DIR --views NAME-WIDTH,… PATH");
  process.exit(2);
}
const fonts = { sans: "Noto Sans", serif: "Noto Serif", mono: "DejaVu Sans Mono" };
const sheet = `:root { --sans: "${fonts.sans}"; --serif: "${fonts.serif}"; --mono: "${fonts.mono}"; }
  :root:lang(hi) { --sans: "Gavel Devanagari", "${fonts.sans}"; } * { caret-color: transparent !important; }`;

async function picture(browser, view) {
  const [look, width] = view.split("-");
  const context = await visitor(browser, named, {
    viewport: { width: Number(width), height: 800 }, colorScheme: look === "dark" ? "dark" : "light", locale: look === "hi" ? "hi" : "en",
    forcedColors: look === "forced" ? "active" : "none", reducedMotion: "reduce", hasTouch: Number(width) < 600, isMobile: Number(width) < 600,
    bypassCSP: true,
  });
  try {
    await context.route("**/*.js", (route) => route.abort());
    if (look === "hi") await context.addCookies([{ name: "gavel_lang", value: "hi", url: named.base }]);
    const page = await context.newPage();
    const res = await page.goto(new URL(plain[0], named.base).href, { waitUntil: "load" });
    if (res.status() !== 200) throw new Error(`${plain[0]} answers ${res.status()}`);
    await page.addStyleTag({ content: sheet });
    const missing = await page.evaluate(async (all) => {
      await document.fonts.ready;
      return all.filter((f) => !document.fonts.check(`16px "${f}"`));
    }, Object.values(fonts));
    if (missing.length) throw new Error(`this machine lacks the fonts ${missing.join(", ")}: apt-get install fonts-noto-core fonts-dejavu-core`);
    await painted(page);
    const wide = await sideways(page);
    if (wide > 0) throw new Error(`${view} scrolls sideways by ${wide} px`);
    await whole(page, join(named.out, `${view}.png`));
    const places = await page.evaluate(() => [...document.querySelectorAll("main section[id]")].map((s) => {
      const box = s.getBoundingClientRect();
      return `${s.id}:${Math.round(box.left + scrollX)},${Math.round(box.top + scrollY)},${Math.round(box.right + scrollX)},${Math.round(box.bottom + scrollY)}`;
    }).join(" "));
    console.log(`${view} ${places}`);
  } finally {
    await context.close();
  }
}

await mkdir(named.out, { recursive: true });
seen("components");
const browser = await start();
try {
  for (const view of named.views.split(",")) await picture(browser, view);
} finally {
  await browser.close();
}
