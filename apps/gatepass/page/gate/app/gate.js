// gate.js is what the gate knows and does, whatever it looks like: the list of its site, whether the server answers, a scan,
// and what was let through. main.js shows it.
import * as book from "./book.js";
import { dateOf, judge, keyOf, named, read, known } from "./judge.js";
import { Away, ask } from "./link.js";
import * as memory from "./memory.js";

export class Gate extends EventTarget {
  passes = {};
  revoked = {};
  keys = {};
  done = [];
  org = "";
  skew = 0;
  rules = { grace_ms: 0, skew_ms: 0 };
  listed = false;
  online = false;
  signedOut = false;
  waiting = 0;

  // wake reads what the device remembers.
  async wake() {
    await this.adopt(await memory.get("bundle"));
    this.station = await memory.get("station");
    await this.count();
  }

  async count() {
    const queue = await memory.queued();
    this.done = queue.map((e) => ({ number: e.number, kind: e.kind, at: e.at, items: e.items }));
    this.waiting = queue.length;
    this.dispatchEvent(new Event("change"));
  }

  async adopt(b) {
    if (!b) return;
    Object.assign(this, { passes: b.passes, revoked: b.revoked, org: b.org, rules: b.rules, skew: b.skew, guard: b.guard, turn: b.turn, site: b.site, listed: true });
    this.keys = Object.fromEntries(await Promise.all(b.keys.map(async (k) => [k.id, await keyOf(k.public_key)])));
    this.bundle = b;
  }

  // told notes whether the server answered, and whether it knows who asks.
  told(online, status) {
    this.online = online;
    this.signedOut = online && status === 401;
    this.dispatchEvent(new Event("change"));
  }

  // ask asks the server, and notes whether it answered.
  async ask(path, how) {
    try {
      const answer = await ask(path, how);
      this.told(true, answer.status);
      return answer;
    } catch (e) {
      if (e instanceof Away) this.told(false);
      throw e;
    }
  }

  // sync makes the gate and the server know of each other what has happened: first what was let through here, then what changed there.
  async sync() {
    if (this.syncing) return;
    this.syncing = true;
    try {
      await this.enrol();
      await this.replay();
      await this.refresh();
      await this.deliver();
      await this.renew();
    } catch (e) {
      if (!(e instanceof Away)) throw e;
    } finally {
      this.syncing = false;
    }
  }

  // enrol makes the device one whose signed events are believed, once for each time it is opened.
  async enrol() {
    if (this.enrolled) return;
    const { status, body } = await this.ask("/gate/stations", { method: "POST", body: { public_key: (await book.own()).text } });
    this.stale = status === 403 && body?.code === "conflict"; // it was paired again since
    if (status !== 200) return;
    this.enrolled = true;
    this.station = body;
    await memory.set("station", body);
  }

  // renew begins another book where the device was paired again, once everything in the old one is sent.
  async renew() {
    if (!this.stale || this.waiting) return;
    this.station = null;
    await memory.begin();
    await this.enrol();
  }

  async refresh() {
    const since = this.bundle?.site === this.station?.site_id || !this.station ? this.bundle?.cursor ?? "" : "";
    const at = Date.now();
    const { status, body: b } = await this.ask(`/gate/bundle?since=${since}${this.station ? `&site_id=${this.station.site_id}` : ""}`, { within: 8000 });
    if (status !== 200) return;
    const passes = b.whole ? {} : { ...this.passes };
    for (const n of b.gone) delete passes[n];
    for (const e of b.passes) passes[e.n] = e;
    const next = { passes, revoked: b.whole ? b.revoked : { ...this.revoked, ...b.revoked }, keys: b.keys, org: b.org, rules: b.rules, cursor: b.cursor,
      site: b.site_id, guard: b.guard, turn: b.turn, skew: Math.round((at + Date.now()) / 2 - b.now) };
    await memory.set("bundle", next);
    await this.adopt(next);
    this.dispatchEvent(new Event("change"));
  }

  // replay sends what was let through, in its order, and forgets it once the server has it.
  async replay() {
    for (;;) {
      const events = await memory.queued(200);
      if (!events.length) return this.count();
      const { status, body } = await this.ask("/gate/events:batch", { method: "POST", body: { events: events.map((e) => e.text) }, within: 20000 });
      if (status !== 200) return;
      await memory.sent(events.slice(0, body.results.length).map((e) => e.seq));
      await this.count();
    }
  }

  // deliver sends the photos of what was let through, one after another.
  async deliver() {
    for (let one = await memory.photo(); one; one = await memory.photo()) {
      if (this.done.length) return; // its event goes first
      const form = new FormData();
      form.append("event", one.digest);
      form.append("photo", one.photo, "photo.jpg");
      const { status } = await this.ask("/gate/event-photos", { method: "POST", body: form, within: 30000 });
      if (status === 401 || status >= 500) return;
      await memory.forget(one.digest);
    }
  }

  // look answers what was scanned or typed: by the server where it answers in time, and alone where it does not.
  async look(text) {
    const alone = await judge(text, this, Date.now());
    if (alone.word === "stop" && ["unreadable", "forged", "other_organisation", "revoked"].includes(alone.reason) && this.listed) return { ...alone, text };
    const scan = read(text), number = scan.number ?? named(this, scan)?.n ?? numberIn(scan.token);
    if (number && !this.done.length) {
      try {
        const { status, body } = await this.ask(`/gate/gatepass/number/${number}`);
        if (status === 200) return { ...seen(body), text: scan.token ?? number };
        if (status === 404) return { word: "stop", reason: this.revoked[number] ? "revoked" : "not_found", text };
      } catch (e) {
        if (!(e instanceof Away)) throw e;
      }
    }
    return { ...alone, text, alone: true };
  }

  // pass lets somebody through whom a look has found: { text, word, entry }, with a photo and what came back. It says what became of it.
  async pass(found, photo, back) {
    const kind = found.word === "out" ? "scan_exit" : "scan_return", id = crypto.randomUUID();
    if (!found.alone && !this.done.length) {
      try {
        return await this.scan(found, kind, id, photo, back);
      } catch (e) {
        if (!(e instanceof Away)) throw e;
      }
      const now = await judge(found.text, this, Date.now()); // the network went away between the look and the photo
      if (now.word !== found.word) return { ...now, text: found.text };
    }
    if (!this.station) return { word: "ask", reason: "not_paired", entry: found.entry };
    const number = found.entry.n;
    await book.sign(this.station.id, { id, number, kind, at: dateOf(this, number, Date.now()), guard: this.guard.id, name: found.entry.name,
      items: back.map((it) => ({ i: it.id, q: String(it.open), c: "good" })) }, photo);
    await this.count();
    return { word: "done", alone: true };
  }

  async scan(found, kind, id, photo, back) {
    const form = new FormData();
    form.append("pass_number", found.text);
    form.append("photo", photo, "photo.jpg");
    form.append("event_id", id);
    form.append("captured_at", new Date().toISOString());
    if (this.station) form.append("device_id", this.station.id);
    if (this.station?.gate_id) form.append("gate_id", this.station.gate_id);
    if (back.length) form.append("items", JSON.stringify(back.map((it) => ({ item_id: it.id, qty: it.open, condition: "good" }))));
    const { status, body } = await this.ask(kind === "scan_exit" ? "/gate/scan-exit" : "/gate/scan-return", { method: "POST", body: form, within: 6000 });
    if (status === 200) return { word: "done" };
    if (status >= 500) throw new Away(String(status)); // nobody stands here until it recovers; what it did after all is known by its event
    return { word: "stop", reason: body?.code ?? "refused", entry: found.entry };
  }

  // find is who of the list has a name that begins like this, wherever in it.
  find(words) {
    const wanted = words.trim().toLocaleLowerCase();
    if (wanted.length < 2) return [];
    return Object.values(this.passes).filter((e) => e.name.toLocaleLowerCase().split(/\s+/).some((part, i, all) => all.slice(i).join(" ").startsWith(wanted)))
      .map((e) => known(this, e.n)).slice(0, 8);
  }
}

// numberIn is the pass that a code names; nobody has looked at who signed it.
function numberIn(token) {
  try {
    return JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).n;
  } catch {
    return "";
  }
}

// seen is a pass as the server answers about it.
function seen(v) {
  const word = { allow_exit: "out", allow_return: "in" }[v.verdict] ?? "stop";
  const due = Date.parse(v.expected_return_at ?? v.valid_until);
  return { word, reason: v.verdict_reason || "", late: word === "in" && Date.now() > due, entry: { n: v.pass_number, name: v.person_name, s: v.status,
    r: v.is_returnable, ex: Date.parse(v.valid_until), due, photo: v.last_photo_thumb_url,
    items: v.items.map((it) => ({ id: it.item_id ?? it.id, name: it.name, qty: it.qty, serial: it.serial, open: Number(it.open ?? 0) })) } };
}
