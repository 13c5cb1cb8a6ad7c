// tour.mjs walks through a demonstration as each role would: the first page, whom to be, the
// three things to try, and from there to a decided case and its file, which a stranger verifies.
// Somebody who decides nothing begins with a case that somebody else has decided.
//
//   node tour.mjs --base http://127.0.0.1:8080 --out shots [--phone officer,auditor]
//
// It prints a line for each role, and leaves the first page, the page of what to try and the
// outbox in --out.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { options, start, visitor, whole } from "./browser.mjs";
import { patience } from "./state.mjs";

const { named } = options(process.argv.slice(2));
if (!named.base || !named.out) {
  console.error("usage: node tour.mjs --base URL --out DIR [--phone ROLE,ROLE]");
  process.exit(2);
}
const phones = (named.phone || "officer").split(",");
const browser = await start();
await mkdir(named.out, { recursive: true });

// journey signs in as a role, from the first page on.
async function journey(role, then) {
  const phone = phones.includes(role);
  const context = await visitor(browser, {}, { viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 800 }, isMobile: phone, hasTouch: phone, locale: "en", acceptDownloads: true });
  const page = await context.newPage();
  page.on("pageerror", (e) => { throw e; });
  try {
    await page.goto(named.base);
    if (role === "programme_manager") await whole(page, join(named.out, "door.png"));
    await page.locator(`#be-north button[value=${role}]`).click();
    await page.getByRole("heading", { name: "What to try first" }).waitFor();
    await whole(page, join(named.out, `start-${role}.png`));
    const tries = await page.locator("main ol.rows a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    if (tries.length < 3) throw new Error(`only ${tries.length} things to try`);
    for (const href of tries) {
      const res = await page.goto(new URL(href, named.base).href);
      if (res.status() !== 200) throw new Error(`${href} answers ${res.status()}`);
    }
    console.log(`ok    ${role}: ${await then(page)}`);
  } catch (e) {
    throw new Error(`${role}: ${e.message}\n${page.url()}\n${(await page.locator("body").innerText().catch(() => "")).slice(0, 800)}`);
  } finally {
    await context.close();
  }
}

// decide approves the first thing in the inbox that has a plain button for it, and reads the
// record that this makes. It answers with the address of the case.
async function decide(page, from = "/inbox") {
  for (const began = Date.now(); ; await page.waitForTimeout(2000)) {
    await page.goto(new URL(from, named.base).href);
    if (await page.locator("ol.rows li.item a").count()) break;
    if (Date.now() - began > patience) throw new Error("nothing waits");
  }
  const proposal = await page.locator("ol.rows li.item a").first().evaluate((a) => new URL(a.href).searchParams.get("open") || a.href.split("/").pop());
  await page.goto(new URL(`/proposals/${proposal}`, named.base).href);
  await page.waitForSelector("#decide");
  const filing = page.locator("a[data-answer=file]"); // what is filed is filed with a reason
  if (await filing.count()) {
    const paper = await page.request.get(new URL(await page.locator(".papers a").first().getAttribute("href"), named.base).href);
    if (paper.status() !== 200 || !(await paper.text()).includes("CAQM-")) throw new Error("what would be filed cannot be read");
    await filing.first().click();
    await page.locator("#decide textarea[name=reason]").fill("It follows from what is on the case.");
    await page.locator("#decide button[type=submit]").first().click();
  } else {
    await page.locator("button[name=verdict][value=approve]").first().click();
  }
  await page.getByText("is on record").first().waitFor();
  await page.getByText("You just made").waitFor();
  const back = page.url();
  await page.getByRole("link", { name: "Verify it" }).click();
  await page.getByText("Hash of the entry").first().waitFor();
  await page.goto(back);
  return page.locator("a[href^='/cases/case_']").first().getAttribute("href");
}

// verified takes a case away and shows the file to the public page, as a stranger would.
async function verified(page, at) {
  const file = join(named.out, "case.zip");
  for (const began = Date.now(); ; await page.waitForTimeout(3000)) {
    await page.goto(new URL(at.split("#")[0], named.base).href);
    await page.locator("#take-case summary").click();
    const taken = page.waitForEvent("download", { timeout: 15_000 }).catch(() => null);
    await page.locator("#take-case button[type=submit]").click();
    const download = await taken;
    if (download) {
      await download.saveAs(file);
      break;
    }
    if (Date.now() - began > patience) throw new Error("the case does not come to rest"); // it says so, and is asked again
  }
  const stranger = await visitor(browser, {});
  try {
    const there = await stranger.newPage();
    await there.goto(new URL("/verify", named.base).href);
    await there.locator("input[type=file]").setInputFiles(file);
    await there.locator("form button[type=submit]").first().click();
    const said = there.locator("main [role=status] b").first();
    await said.waitFor({ timeout: patience });
    const words = await said.innerText();
    if (!/genuine/i.test(words) || /not genuine/i.test(words)) throw new Error(`the stranger is told: ${words}`);
    return words;
  } finally {
    await stranger.close();
  }
}

let decided;
const look = async (page) => verified(page, decided);
try {
  await journey("programme_manager", async (page) => {
    decided = await decide(page);
    return `decided, ${await verified(page, decided)}`;
  });
  await journey("officer", async (page) => {
    const at = await decide(page, "/inbox?app=airshed");
    return `signed a filing, ${await verified(page, at)}`;
  });
  await journey("analyst", look);
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
  await writeFile(join(named.out, "ok"), "");
  console.log("6 of 6 journeys end well");
} finally {
  await browser.close();
}
