// passes.mjs is what people do with gate passes in a demonstration: HR asks for one, an
// administrator decides in a conversation, and a guard lets somebody through. Each says
// how many presses it took, and how long.
import { crc32, deflateSync } from "node:zlib";
import { join } from "node:path";
import { whole } from "./browser.mjs";

// A count is of presses, and of seconds since it was begun.
class Count {
  began = Date.now();
  presses = 0;

  press(what) {
    this.presses++;
    return what.click();
  }

  // told is what it took; more presses than promised are a fault.
  told(most) {
    if (this.presses > most) throw new Error(`${this.presses} presses, at most ${most} promised`);
    return `${this.presses} presses, ${((Date.now() - this.began) / 1000).toFixed(1)} s`;
  }
}

// asked has HR ask for a pass by the form, and looks for it on the board.
export async function asked(page, base) {
  const here = await (await page.request.get(new URL("/v1/gatepass/sites/main/onsite", base).href)).json();
  const until = new Date(Date.parse(here.as_of) + 10 * 86_400_000).toISOString().slice(0, 16); // a day there is minutes here
  const n = new Count();
  await page.goto(new URL("/gatepass/new", base).href);
  await page.fill("#person_name", "Tara Demo");
  await page.fill("#valid_until", until);
  await page.fill("#description", "Drawings to the printer");
  await n.press(page.locator("input[name=is_returnable][value=yes]"));
  await n.press(page.locator("button[name=do][value=check]"));
  await n.press(page.locator("button[name=do][value=make]"));
  await page.locator("[role=status] .notice").waitFor();
  const told = n.told(3);
  const number = (await page.locator("h1").innerText()).match(/GP-\d{4}-\d{4,6}/)[0];
  await page.goto(new URL("/gatepass", base).href);
  await page.locator(`.gp-card a[href*="${number}"]`).first().waitFor();
  return { number, told: `asked for a pass, ${told}` };
}

// settled waits until a conversation is the person's turn again, or a card waits.
async function settled(page, sign) {
  await page.locator(sign).last().waitFor();
  await page.locator(".gp-log").waitFor();
}

// approved has an administrator approve a pass in the conversation: the card first, and its button.
export async function approved(page, base, number, out) {
  await page.goto(new URL("/gatepass/chat", base).href);
  const n = new Count();
  await page.fill("#say-words", `Approve ${number}`);
  await n.press(page.locator("#say button[type=submit]").first());
  await settled(page, ".gp-tray");
  if (!(await page.locator(".gp-waits").innerText()).includes(number)) throw new Error("the card does not name the pass");
  await whole(page, join(out, "chat-card.png"));
  await n.press(page.locator(".gp-tray button[value=confirm]"));
  await settled(page, ".gp-call .badge.ok");
  return `approved it on a card, ${n.told(2)}`;
}

// photo is a small PNG of one colour, for who has no camera.
function photo() {
  const chunk = (kind, body) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length);
    head.write(kind, 4, "latin1");
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), body])));
    return Buffer.concat([head, body, sum]);
  };
  const size = 64, head = Buffer.from([0, 0, 0, size, 0, 0, 0, size, 8, 2, 0, 0, 0]);
  const rows = Buffer.alloc(size * (1 + size * 3), 160);
  for (let y = 0; y < size; y++) rows[y * (1 + size * 3)] = 0;
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

// through has a guard type the number of a pass at the gate, take a photo and let its holder through.
export async function through(page, base, number, out) {
  const at = (screen) => page.locator(`#main[data-screen=${screen}]`).waitFor();
  await page.goto(new URL("/gatepass/gate", base).href);
  await page.waitForSelector("html[data-ready]");
  const n = new Count();
  await n.press(page.locator("#type"));
  await page.fill("#code", number);
  await n.press(page.locator("#go"));
  await at("verdict");
  const word = await page.$eval("#answer", (el) => `${el.dataset.word} ${el.dataset.reason}`.trim());
  if (word !== "out" && word !== "in") throw new Error(`the gate says ${word}`); // in: somebody of the demonstration was quicker
  await whole(page, join(out, "gate-verdict.png"));
  await n.press(page.locator("#take"));
  await at("photo");
  n.presses++; // the shutter of the phone's own camera, where the page has none
  await page.setInputFiles("#file", { name: "photo.png", mimeType: "image/png", buffer: photo() });
  await at("confirm");
  await n.press(page.locator("#confirm"));
  await at("done");
  const told = n.told(5);
  await page.goto(new URL("/gatepass/sites", base).href); // and finds the other pages from there
  for (const name of ["Evacuation", "Ask"]) await page.locator("nav a", { hasText: name }).first().waitFor();
  await page.locator("nav a", { hasText: "Ask" }).first().click();
  await page.locator("#say-words").waitFor();
  return `let somebody ${word}, ${told}`;
}
