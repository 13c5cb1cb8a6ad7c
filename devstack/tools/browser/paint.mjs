// paint.mjs opens a page afresh several times and says how long a reader waits
// until its text is there and until the newest of it can be read: the median of
// the first contentful and of the largest paint, in ms from the click.
//
//   node paint.mjs --base http://127.0.0.1:8080 --token gvdev.… --times 7 --want "step 19999" /runs/run_…
import { options, seen, start, visitor } from "./browser.mjs";

const { named, plain } = options(process.argv.slice(2));
if (!named.base || !named.token || !named.want || plain.length !== 1) {
  console.error("usage: node paint.mjs --base URL --token TOKEN --want TEXT [--times N] PATH");
  process.exit(2);
}

async function once(browser) {
  const context = await visitor(browser, named);
  try {
    const page = await context.newPage();
    const address = new URL(plain[0], named.base).href;
    const res = await page.goto(address, { waitUntil: "load" });
    if (res.status() !== 200) throw new Error(`${address} answers ${res.status()}`);
    if (!(await page.evaluate((text) => document.body.innerText.includes(text), named.want))) throw new Error(`the page does not say ${named.want}`);
    return await page.evaluate(() => new Promise((done) => {
      new PerformanceObserver((list) => {
        const fcp = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
        done({ fcp, lcp: list.getEntries().at(-1).startTime, bytes: performance.getEntriesByType("navigation")[0].encodedBodySize });
      }).observe({ type: "largest-contentful-paint", buffered: true });
    }));
  } finally {
    await context.close();
  }
}

const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
const browser = await start();
seen("run-long");
try {
  const seen = [];
  for (let i = 0; i < Number(named.times || 7); i++) seen.push(await once(browser));
  const fcp = Math.round(median(seen.map((s) => s.fcp))), lcp = Math.round(median(seen.map((s) => s.lcp)));
  console.log(`first ${fcp} ms, largest ${lcp} ms, worst ${Math.round(Math.max(...seen.map((s) => s.lcp)))} ms, ${seen[0].bytes} bytes`);
  console.log(`paint_ms=${Math.max(fcp, lcp)}`);
} finally {
  await browser.close();
}
