// judge.js answers a scan while the gate is alone. It is rule/offline in the browser, reason for reason; rule/offline has the
// why. The words are out, in, ask and stop.

const bytes = (text) => new TextEncoder().encode(text);
const small = "abcdefghijklmnopqrstuvwxyz234567";

// decoded is what base64url says, if it is the one way to write it.
function decoded(text) {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  try {
    const raw = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return encoded(raw) === text ? raw : null;
  } catch {
    return null;
  }
}

export function encoded(raw) {
  let s = "";
  for (const b of raw) s += String.fromCharCode(b);
  return btoa(s).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// keyOf reads a public key in base64.
export function keyOf(base64) {
  const raw = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return crypto.subtle.importKey("raw", raw, "Ed25519", true, ["verify"]);
}

// payloadOf is what a code says, if it is whole: one spelling, every field in its bounds.
function payloadOf(raw) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(raw), w = JSON.parse(text);
    const again = JSON.stringify({ t: w.t, n: w.n, v: w.v, nb: w.nb, ex: w.ex, r: w.r, k: w.k });
    const whole = again === text && numberForm.test(w.n) && of(w.t, 8) && of(w.k, 4) && Number.isInteger(w.v) && w.v >= 1 && w.v <= 9999 &&
      Number.isInteger(w.nb) && Number.isInteger(w.ex) && w.nb > 0 && w.nb < w.ex && (w.r === 0 || w.r === 1);
    return whole ? w : null;
  } catch {
    return null;
  }
}

const numberForm = /^GP-\d{4}-(\d{4}|[1-9]\d{4,5})$/;
const of = (text, length) => typeof text === "string" && text.length === length && [...text].every((c) => small.includes(c));

// read says what was scanned or typed: a code, a number, or a short code.
export function read(text) {
  const said = String(text).trim();
  if (said.startsWith("GP1.")) return { token: said };
  const number = /^GP[\s-]*(\d{4})[\s-]*(\d{4,6})$/i.exec(said);
  if (number) return { number: `GP-${number[1]}-${number[2]}` };
  const short = said.toUpperCase().replaceAll(/[\s-]/g, "");
  return /^[2-9A-HJ-NP-Z]{6}$/.test(short) ? { code: short } : {};
}

// verified is what a code says if one of the keys signed it, or why it is not believed.
export async function verified(token, gate) {
  const [kind, body, tail, more] = token.split(".");
  const payload = body && decoded(body), signature = tail && decoded(tail);
  if (kind !== "GP1" || more !== undefined || !payload || !signature || payload.length > 128 || signature.length !== 64) return { no: "unreadable" };
  const w = payloadOf(payload);
  if (!w) return { no: "unreadable" };
  const key = gate.keys[w.k];
  if (!key || !await crypto.subtle.verify("Ed25519", key, signature, bytes(`GP1.${body}`))) return { no: "forged" };
  if (w.t !== gate.org) return { no: "other_organisation" };
  return w.v <= (gate.revoked[w.n] ?? 0) ? { no: "revoked" } : { pass: w };
}

// known is a pass as the gate knows it: the list, and what it let through itself since.
export function known(gate, number) {
  const listed = gate.passes[number];
  if (!listed) return null;
  const e = { ...listed, items: listed.items.map((it) => ({ ...it })) };
  for (const d of gate.done) {
    if (d.number !== number) continue;
    e.since = Math.max(e.since, d.at);
    if (d.kind === "scan_exit") e.s = "exited";
    else back(e, d.items);
  }
  return e;
}

// back is a pass after a return: out still while things of it are.
function back(e, items) {
  e.back = true;
  for (const b of items ?? []) {
    const it = e.items.find((one) => one.id === b.i);
    if (it) it.open = Math.max(0, Math.round((it.open - Number(b.q)) * 1000) / 1000);
  }
  if (!e.items.some((it) => it.open > 0)) e.s = "returned";
}

// dateOf is the moment under which a gate writes down what it lets through: now, and after everything that it knows of the pass.
export const dateOf = (gate, number, now) => Math.max(now, (known(gate, number)?.since ?? -1) + 1);

// judge answers what was scanned, at a moment of the device's clock.
export async function judge(text, gate, now) {
  const scan = read(text);
  if (!scan.token) return scan.number || scan.code ? { word: "ask", reason: "online_only", entry: named(gate, scan) } : { word: "stop", reason: "unreadable" };
  const { no, pass } = await verified(scan.token, gate);
  if (no) return { word: "stop", reason: no };
  if (!gate.listed) return { word: "ask", reason: "no_list" };
  const e = known(gate, pass.n);
  if (!e) return now > pass.ex * 1000 ? { word: "stop", reason: "expired" } : { word: "ask", reason: "not_listed" };
  if (pass.v < e.v) return { word: "stop", reason: "old_code" };
  if (e.s === "exited") return e.r ? { word: "in", reason: "", entry: e, late: now > e.due } : { word: "stop", reason: "already_out", entry: e };
  if (e.s !== "approved") return { word: "stop", reason: "already_back", entry: e };
  if (Math.abs(gate.skew) > gate.rules.skew_ms) return { word: "ask", reason: "clock_not_sure", entry: e };
  if (now < e.nb - gate.rules.grace_ms) return { word: "stop", reason: "not_yet_valid", entry: e };
  return now > e.ex ? { word: "stop", reason: "expired", entry: e } : { word: "out", reason: "", entry: e };
}

// named is the pass that a number or a short code names, as the list has it.
export const named = (gate, scan) => scan.number ? known(gate, scan.number) :
  known(gate, Object.values(gate.passes).find((e) => e.c === scan.code)?.n ?? "");
