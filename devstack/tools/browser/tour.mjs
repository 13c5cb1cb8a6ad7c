// tour.mjs walks through a demonstration as each role would: the first page, whom to be, the
// three things to try, and from there to a decided case and its file, which a stranger verifies.
// Somebody who decides nothing begins with a case that somebody else has decided.
//
//   node tour.mjs --base http://127.0.0.1:8080 --out shots [--phone officer,auditor] [--only hr,pass_admin,gate]
//
// It prints a line for each role, and leaves the first page, the page of what to try and the
// outbox in --out.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { options, start, visitor, whole } from "./browser.mjs";
import { decide, looks, verified } from "./deeds.mjs";
import { approved, asked, through } from "./passes.mjs";
import { redrafts, scores } from "./reports.mjs";

const { named } = options(process.argv.slice(2));
if (!named.base || !named.out) {
  console.error("usage: node tour.mjs --base URL --out DIR [--phone ROLE,ROLE] [--only ROLE,ROLE]");
  process.exit(2);
}
const phones = (named.phone || "officer,gate").split(",");
const only = named.only?.split(",");
let walked = 0;
const browser = await start();
await mkdir(named.out, { recursive: true });

// journey signs in as a role, from the first page on.
async function journey(role, then, phone = phones.includes(role)) {
  if (only && !only.includes(role)) return;
  const context = await visitor(browser, {}, { viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 800 }, isMobile: phone, hasTouch: phone, locale: "en", acceptDownloads: true });
  const page = await context.newPage();
  page.on("pageerror", (e) => { throw e; });
  try {
    await page.goto(named.base);
    if (role === "programme_manager" && !phone) await whole(page, join(named.out, "door.png"));
    await page.locator(`#be-north button[value=${role}]`).click();
    await page.getByRole("heading", { name: "What to try first" }).waitFor();
    await whole(page, join(named.out, `start-${role}.png`));
    const tries = await page.locator("main ol.rows a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    if (tries.length < 3) throw new Error(`only ${tries.length} things to try`);
    for (const href of tries) {
      const res = await page.goto(new URL(href, named.base).href);
      if (res.status() !== 200) throw new Error(`${href} answers ${res.status()}`);
    }
    console.log(`ok    ${role}${phone ? " on a phone" : ""}: ${await then(page)}`);
    walked++;
  } catch (e) {
    throw new Error(`${role}: ${e.message}\n${page.url()}\n${(await page.locator("body").innerText().catch(() => "")).slice(0, 800)}`);
  } finally {
    await context.close();
  }
}

let decided, number;
const look = async (page) => `${await looks(page, named.base, decided)}, ${await verified(browser, page, named.base, decided, named.out)}`;
try {
  for (const phone of [false, true]) {
    await journey("programme_manager", async (page) => {
      let took;
      decided = await decide(page, named.base, "/inbox", (said) => { took = said; });
      return phone ? `decided, ${took}` : `decided, ${took}, ${await verified(browser, page, named.base, decided, named.out)}`;
    }, phone);
  }
  await journey("officer", async (page) => {
    let took;
    const at = await decide(page, named.base, "/inbox?app=airshed", (said) => { took = said; });
    return `signed a filing, ${took}, ${await verified(browser, page, named.base, at, named.out)}`;
  });
  await journey("officer", async (page) => {
    let took;
    const at = await decide(page, named.base, "/inbox?app=reportagent", (said) => { took = said; });
    return `signed a section of a report, ${took}, ${await verified(browser, page, named.base, at, named.out)}, ${await scores(page, named.base, named.out)}`;
  }, false);
  await journey("analyst", async (page) => `${await redrafts(page, named.base, named.out)}, ${await look(page)}`);
  await journey("auditor", async (page) => {
    await page.goto(new URL("/outbox", named.base).href);
    await page.locator("ol.rows li.item").first().waitFor();
    await whole(page, join(named.out, "outbox.png"));
    return look(page);
  });
  await journey("org_admin", look);
  await journey("operator", async (page) => { // sees runs and no case
    const res = await page.goto(new URL(decided.split("#")[0], named.base).href);
    if (res.status() !== 403) throw new Error(`a case answers ${res.status()}`);
    return "sees how it runs, and no case";
  });
  await journey("hr", async (page) => {
    const pass = await asked(page, named.base);
    number = pass.number;
    return pass.told;
  });
  await journey("pass_admin", async (page) => {
    let took;
    const at = await decide(page, named.base, "/inbox?app=gatepass", (said) => { took = said; }, { log: false });
    const file = await verified(browser, page, named.base, at, named.out);
    return `decided, ${took}, ${file}, ${await approved(page, named.base, number, named.out)}`;
  });
  await journey("gate", (page) => through(page, named.base, number, named.out));
  await writeFile(join(named.out, "ok"), "");
  console.log(`${walked} journeys end well: what was found is read without a press, two at most decide`);
} finally {
  await browser.close();
}
