// budget.mjs holds pages to what they may cost a reader on a slow phone: with the
// processor slowed down four times, how much HTML and script comes over the wire
// (as gzip has it), when the largest part is painted, and how long the page takes to
// answer a key or a finger (the worst of what was tried, as INP is for few of them).
//
// Bytes bind always. The times bind where TIMES=hard says that the machine does nothing
// else, over five visits; elsewhere they are printed, of one.
//
//   node budget.mjs --base URL --token TOKEN inbox@/inbox case@/cases/case_…
import { gzipSync } from "node:zlib";
import { hard, options, seen, start, visitor } from "./browser.mjs";
import { painted, settled } from "./state.mjs";

const slower = 4;
const most = { html: 60_000, script: 40_000, lcp: 2000, inp: 200 };
const bind = hard ? ["html", "script", "lcp", "inp"] : ["html", "script"];
const times = hard ? 5 : 1;
const { named, plain } = options(process.argv.slice(2));
if (!named.base || !named.token || !plain.length) {
  console.error("usage: node budget.mjs --base URL --token TOKEN NAME@PATH …");
  process.exit(2);
}
const browser = await start();

// watch collects the paints and the answers to what the reader does.
const watch = () => {
  window.measured = { lcp: 0, inp: 0, events: 0 };
  new PerformanceObserver((l) => { measured.lcp = l.getEntries().at(-1).startTime; }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((l) => {
    for (const e of l.getEntries()) if (e.interactionId) { measured.inp = Math.max(measured.inp, e.duration); measured.events++; }
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
};

// act does what readers do most: walk by keys, open what is folded, tick, type.
async function act(page) {
  for (const key of ["Tab", "Tab", "j", "j", "k", "Tab"]) await page.keyboard.press(key), await painted(page);
  for (const fold of (await page.locator("main details > summary").all()).slice(0, 8)) {
    if (!(await fold.isVisible())) continue;
    for (let i = 0; i < 2; i++) await fold.click({ noWaitAfter: true }), await painted(page); // open, and shut again
  }
  const box = page.locator("main input[type=checkbox]:visible").first();
  if (await box.count()) await box.click();
  const field = page.locator("input[type=search]:visible, textarea:visible").first();
  if (await field.count()) await field.pressSequentially("van 14", { delay: 30 });
  await painted(page);
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done))); // what was measured is handed out when nothing else is to be done
}

async function once(path, width) {
  const context = await visitor(browser, named, { viewport: { width, height: 760 }, hasTouch: width < 600, isMobile: width < 600 });
  try {
    const page = await context.newPage();
    await page.addInitScript(watch);
    const slow = await context.newCDPSession(page);
    await slow.send("Emulation.setCPUThrottlingRate", { rate: slower });
    const scripts = [];
    page.on("response", (r) => { if (r.request().resourceType() === "script") scripts.push(r.body().then((b) => gzipSync(b).length)); });
    const answer = await page.goto(new URL(path, named.base).href, { waitUntil: "load" });
    if (answer.status() !== 200) throw new Error(`${path} answers ${answer.status()}`);
    const html = gzipSync(await answer.body()).length;
    await settled(page);
    await page.waitForFunction(() => measured.lcp > 0);
    const lcp = await page.evaluate(() => measured.lcp);
    await act(page);
    const { inp, events } = await page.evaluate(() => measured);
    const script = (await Promise.all(scripts)).reduce((a, b) => a + b, 0);
    if (!lcp || !script) throw new Error(`${path} was not measured: largest paint ${lcp} ms, script ${script} bytes`);
    return { html, script, lcp, inp, events };
  } finally {
    await context.close();
  }
}

const worst = (all, what) => Math.round(Math.max(...all.map((one) => one[what])));
const median = (all, what) => Math.round(all.map((one) => one[what]).sort((a, b) => a - b)[Math.floor(all.length / 2)]);
const over = [];
try {
  console.log(`processor slowed down ${slower} times; median of ${times} visits, of the answers to keys and fingers the worst of each visit`);
  console.log("page           width   html B  script B   largest paint ms   answer ms (worst)");
  for (const one of plain) {
    const [name, path] = [one.slice(0, one.indexOf("@")), one.slice(one.indexOf("@") + 1)];
    seen(`budget-${name}`);
    for (const width of [360, 1280]) {
      let all, got;
      for (let tries = 0; tries < 3; tries++) { // a machine that is busy with something else is slow once
        all = [];
        for (let i = 0; i < times; i++) all.push(await once(path, width));
        got = { html: worst(all, "html"), script: worst(all, "script"), lcp: median(all, "lcp"), inp: median(all, "inp") };
        if (!hard || got.lcp <= most.lcp && got.inp <= most.inp) break;
      }
      console.log(`${name.padEnd(14)} ${String(width).padStart(5)} ${String(got.html).padStart(8)} ${String(got.script).padStart(9)} ${String(got.lcp).padStart(18)} ${String(got.inp).padStart(12)} (${worst(all, "inp")}, ${all[0].events} answers)`);
      for (const what of bind) if (got[what] > most[what]) over.push(`${name} at ${width}: ${what} ${got[what]}, at most ${most[what]}`);
    }
  }
  if (over.length) throw new Error(over.join("\n"));
  console.log("ok");
} catch (e) {
  console.error(`FAILED: ${e.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
