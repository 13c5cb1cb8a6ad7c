// check.mjs opens pages at 360 and 1280 px, light and dark, and fails on what a
// person would trip over: a serious finding of axe-core, an error in the console,
// anything refused by the content security policy, a page that scrolls sideways (at
// 320 px and at 200 % zoom, too), or a focus that lands under something that is stuck.
//
//   node check.mjs --base http://127.0.0.1:8080 --token gvdev.… --out shots [--langs en,hi] /cases missing@/cases/nosuch=404
//
// All of axe looks at the first view of a page. In the others it looks at what another
// width, scheme or language can change, and at what the first view did not show.
// VIEWS=few looks at each page twice only, narrow and light in the first language and
// wide and dark in the last, so that each width, scheme and language is seen, and leaves no screenshots.
// --cookie name=value signs in otherwise. A path may end in =status when another answer than 200 is right, and begin with
// name@ for its screenshots. Those are left in --out for people to look at.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { cookie, options, seen, sideways, start, visitor, whole } from "./browser.mjs";
import { hasty, painted, settled } from "./state.mjs";

const { named, plain } = options(process.argv.slice(2));
if (!named.base || !named.out || plain.length === 0) {
  console.error("usage: node check.mjs --base URL --token TOKEN --out DIR [--langs en,hi] [NAME@]PATH[=STATUS]…");
  process.exit(2);
}
const few = process.env.VIEWS === "few";
const langs = (named.langs || "en").split(",");
let views = [];
for (const [i, lang] of langs.entries()) {
  for (const width of [360, 1280]) {
    for (const scheme of ["light", "dark"]) {
      // every view in the first language; narrow light and wide dark in the others
      if (i === 0 || (width < 600) === (scheme === "light")) views.push({ lang, width, scheme });
    }
  }
}
if (few) views = [{ lang: langs[0], width: 360, scheme: "light" }, { lang: langs.at(-1), width: 1280, scheme: "dark" }];

async function tooWide(page) {
  const wide = await sideways(page);
  return wide > 0 ? [`scrolls sideways by ${wide} px at ${page.viewportSize().width}`] : [];
}

// squeezed looks at the page as a small phone has it, and as a desk has it at 200 %.
async function squeezed(page, view) {
  const small = view.width < 600 ? { width: 320, height: 640 } : { width: 640, height: 400 };
  await page.setViewportSize(small);
  const faults = await tooWide(page);
  for (const under of await page.evaluate(hiddenFocus)) faults.push(`focus is hidden at ${small.width} px: ${under}`);
  return faults;
}

// hiddenFocus puts the focus on everything that takes it, in the browser, and says what
// then lies wholly under something else or out of sight (WCAG 2.4.11).
function hiddenFocus() {
  const all = [...document.querySelectorAll("a[href], button:not([disabled]), input:not([type=hidden]):not([disabled]), select, textarea, summary, [tabindex='0']")]
    .filter((el) => el.tabIndex >= 0 && el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })).slice(0, 200); // only what a keyboard reaches
  const found = [];
  for (const el of all) {
    el.focus();
    if (document.activeElement !== el) continue;
    const within = (low, high, most) => [Math.max(low, 0), Math.min(high, most)]; // of what is larger than the screen, the part on it
    const boxes = [...el.getClientRects()].filter((b) => b.width > 1 && b.height > 1).map((b) => {
      const [left, right] = within(b.left, b.right, innerWidth), [top, bottom] = within(b.top, b.bottom, innerHeight);
      return { left, top, width: right - left, height: bottom - top };
    });
    const seen = boxes.some((b) => [.1, .5, .9].some((x) => [.15, .5, .85].some((y) => {
      const at = document.elementFromPoint(b.left + b.width * x, b.top + b.height * y);
      return at && (el.contains(at) || at.contains(el) && at.closest("a, label, summary") === el.closest("a, label, summary"));
    })));
    if (boxes.length && !seen) found.push(`${el.tagName.toLowerCase()} ${(el.textContent || el.name || el.id || "").trim().slice(0, 40)}`);
  }
  return found.slice(0, 5);
}

// eyes is a window of the browser for a view, signed in. Pages that are opened in it one
// after the other share what the browser keeps, as a person's do.
async function eyes(browser, view) {
  const cookies = [{ name: "gavel_lang", value: view.lang, url: named.base }];
  if (named.cookie) cookies.push(cookie(named.base, named.cookie));
  const context = await visitor(browser, { ...named, cookies }, {
    viewport: { width: view.width, height: 800 }, colorScheme: view.scheme, locale: view.lang,
    hasTouch: view.width < 600, isMobile: view.width < 600, reducedMotion: "reduce",
  });
  await hasty(context);
  if (plain.length > 1) await context.newPage(); // holds the window open: a page in an open window costs the machine half of one with its own
  return context;
}

// byView are the rules of axe whose answer depends on width, scheme or language.
const byView = ["color-contrast", "target-size", "html-has-lang", "html-lang-valid", "valid-lang", "document-title"];

// axe asks for what is wrong only, of a page as it stands: no page of ours has a frame of
// another origin, for which axe would open a second page each time.
async function axe(page, view) {
  const ask = (options, within) => {
    const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"], preload: false, ...options });
    return (within ? builder.include(within) : builder).analyze().then((found) => found.violations);
  };
  if (view === views[0]) return ask({ rules: { "target-size": { enabled: true } } }); // WCAG 2.2, which axe leaves out unless it is asked
  const found = await ask({ runOnly: byView });
  return await onlyHere(page, view) ? [...found, ...await ask({ rules: Object.fromEntries(byView.map((id) => [id, { enabled: false }])) }, "[data-only-here]")] : found;
}

// onlyHere marks what this view shows and the width of the first view hides, and says how
// much that is: nobody has looked at it yet.
async function onlyHere(page, view) {
  if (view.width === views[0].width) return 0;
  const { height } = page.viewportSize();
  await page.evaluate(() => { window.shown = [...document.body.querySelectorAll("*")].filter((el) => el.checkVisibility({ visibilityProperty: true })); });
  await page.setViewportSize({ width: views[0].width, height });
  await page.evaluate(() => { window.shown = window.shown.filter((el) => !el.checkVisibility({ visibilityProperty: true })); });
  await page.setViewportSize({ width: view.width, height });
  await painted(page);
  return page.evaluate(() => {
    const all = new Set(window.shown), top = window.shown.filter((el) => el.isConnected && !all.has(el.parentElement));
    top.forEach((el) => el.setAttribute("data-only-here", ""));
    return top.length;
  });
}

async function look(context, view, target) {
  const [, label, path, status] = target.match(/^(?:([a-z-]+)@)?(.*?)(?:=(\d{3}))?$/);
  const want = Number(status || 200);
  const faults = [];
  const page = await context.newPage();
  try {
    const address = new URL(path, named.base).href;
    page.on("console", (m) => {
      const own = m.location().url === address && want >= 400; // the browser reports the status we came for
      if (m.type() === "error" && !own) faults.push(`console: ${m.text()}`);
    });
    page.on("pageerror", (e) => faults.push(`script: ${e.message}`));
    const res = await page.goto(address, { waitUntil: "load" });
    if (res.status() !== want) faults.push(`status ${res.status()}, want ${want}`);
    await settled(page);
    faults.push(...await tooWide(page));
    for (const v of await axe(page, view)) {
      const grave = v.impact === "serious" || v.impact === "critical";
      const text = `axe ${v.impact} ${v.id}: ${v.help} (${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join("; ")})`;
      if (grave) faults.push(text);
      else console.log(`note  ${target} ${text}`);
    }
    const what = label || path.replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "") || "home";
    const name = `${what}-${view.width}-${view.scheme}-${view.lang}.png`;
    if (!few) await whole(page, join(named.out, name));
    if (view.lang === views[0].lang && view.scheme === "light") faults.push(...await squeezed(page, view));
  } catch (e) {
    faults.push(String(e.message).split("\n")[0]);
  } finally {
    await page.close();
  }
  return faults;
}

await mkdir(named.out, { recursive: true });
const browser = await start();
plain.forEach((target) => seen(target.replace(/@.*|=\d{3}$/, "")));
const left = [...views], all = plain.length * views.length;
let failed = 0;
async function worker() { // takes a view, and looks at every page in it
  for (let view = left.shift(); view; view = left.shift()) {
    const context = await eyes(browser, view);
    for (const target of plain) {
      const faults = await look(context, view, target);
      failed += faults.length ? 1 : 0;
      console.log([`${faults.length ? "FAIL" : "ok  "}  ${target} ${view.width} ${view.scheme} ${view.lang}`, ...faults].join("\n      "));
    }
    await context.close();
  }
}
try {
  await Promise.all([worker(), worker()]);
} finally {
  await browser.close();
}
console.log(`${all - failed} of ${all} views are well`);
process.exit(failed ? 1 : 0);
