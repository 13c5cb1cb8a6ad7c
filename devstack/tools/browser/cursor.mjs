// cursor.mjs looks at a page whose drawings belong to hours, with scripts off and
// without WebGL: drawings and tables are there and the cursor is not. Then it moves the
// cursor, which must move drawings and tables at once and give everything back. --card
// is a page whose numbers open cards; they open and close with scripts off, too.
//
//   node cursor.mjs --base URL --token TOKEN --page /airshed/episodes/… --card /airshed/episodes/…/report
import { options, seen, start, visitor } from "./browser.mjs";

const { named } = options(process.argv.slice(2));
const browser = await start();
const must = (holds, what) => { if (!holds) throw new Error(what); };
async function visit(path, options, then) {
  const context = await visitor(browser, named, { viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (e) => { throw e; });
  await page.addInitScript(() => { HTMLCanvasElement.prototype.getContext = () => null; }); // as where WebGL is off
  await page.goto(new URL(path, named.base).href, { waitUntil: "load" });
  try {
    await then(page);
  } finally {
    await context.close();
  }
}
for (const page of ["page", "card"]) seen(`cursor-${page}`);
const wide = ".mapsvg.wide-only", hours = ".seriessvg.wide-only";
try {
  await visit(named.page, { javaScriptEnabled: false }, async (page) => {
    for (const drawn of [wide, hours, ".sharessvg.wide-only"]) must(await page.locator(drawn).isVisible(), `${drawn} is not there without scripts`);
    must(!await page.locator("[data-cursor-bar]").isVisible(), "a cursor is shown that nothing moves");
    await page.locator("#table-fires > summary").click();
    must(await page.locator("#table-fires tbody tr").first().isVisible(), "the table of fires does not open without scripts");
    await page.locator("#layer-fires").uncheck();
    must(!await page.locator(`${wide} .fires`).isVisible(), "a layer does not go without scripts");
  });
  await visit(named.page, {}, async (page) => {
    const slider = page.locator("[data-cursor-bar] input"), at = page.locator("[data-cursor-bar] output");
    must(await slider.isVisible(), "there is no cursor");
    const all = await at.textContent();
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    must(/\d\d:\d\d IST/.test(await at.textContent()), `the cursor says ${await at.textContent()}`);
    must(await slider.getAttribute("aria-valuetext") === await at.textContent(), "who does not see the cursor is told something else");
    for (const drawn of [wide, hours]) must(await page.locator(`${drawn}.has-cursor`).count() === 1, `${drawn} does not follow the cursor`);
    must(await page.locator(`${hours} [data-hour="-1"].is-now`).count() === 1, "the hour is not marked in the curves");
    must(await page.locator(`#table-hours tr[data-hour="-1"].is-now`).count() === 1, "the hour is not marked in the table");
    await page.locator(`${hours} [data-hour="-5"] .hit`).click({ force: true });
    must(await slider.inputValue() === "-5", "a click into the curves does not move the cursor");
    must(await page.locator(`${wide} [data-hour].is-now`).count() >= 1, "nothing is marked on the map");
    const play = page.getByRole("button", { name: "Play" });
    await play.click();
    must(await play.getAttribute("aria-pressed") === "true", "the button does not say that it plays");
    await page.waitForFunction((was) => Number(document.querySelector("[data-cursor-bar] input").value) >= was + 2, -5);
    await play.click();
    must(await play.getAttribute("aria-pressed") === "false", "it cannot be stopped");
    const stood = await slider.inputValue();
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    must(Number(await slider.inputValue()) === Number(stood) - 1, "the cursor went on after it was stopped");
    await page.getByRole("button", { name: "Show all" }).click();
    must(await page.locator(".is-now, .has-cursor").count() === 0 && await at.textContent() === all, "the cursor does not give everything back");
  });
  await visit(named.card, { javaScriptEnabled: false }, async (page) => {
    const number = page.locator("button.number").first();
    const card = page.locator(`#${await number.getAttribute("popovertarget")}`);
    must(!await card.isVisible(), "a card is open before anybody asked");
    await number.click();
    must(await card.isVisible(), "a number opens no card");
    await page.keyboard.press("Escape");
    must(!await card.isVisible(), "Escape does not close the card");
  });
  console.log("ok");
} finally {
  await browser.close();
}
