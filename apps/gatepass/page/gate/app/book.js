// book.js is the device's book: its key, and what it lets through while it is alone, numbered, chained and signed. rule/replay
// reads it on the server.
import * as memory from "./memory.js";
import { encoded } from "./judge.js";

const bytes = (text) => new TextEncoder().encode(text);

export async function sha256(data) {
  const sum = await crypto.subtle.digest("SHA-256", data);
  return [...new Uint8Array(sum)].map((b) => b.toString(16).padStart(2, "0")).join("");
}

// own is the device's pair of keys, made once. The private one stays where it is.
export async function own() {
  let pair = await memory.get("keys");
  if (!pair) {
    pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    await memory.set("keys", pair);
  }
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return { pair, text: encoded(raw) };
}

// sign writes an event down that the gate let through: { id, number, kind, at, guard, items }, and its photo.
export async function sign(station, e, photo) {
  const { pair } = await own();
  const book = await memory.get("book") ?? { seq: 0, prev: "" };
  const wire = { i: e.id, d: station, q: book.seq + 1, h: book.prev, n: e.number, e: e.kind, at: e.at, g: e.guard,
    p: photo ? await sha256(await photo.arrayBuffer()) : "" };
  if (e.items?.length) wire.b = e.items;
  const signed = `GE1.${encoded(bytes(JSON.stringify(wire)))}`;
  const text = `${signed}.${encoded(new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, bytes(signed))))}`;
  const digest = await sha256(bytes(text));
  const event = { seq: wire.q, text, digest, number: e.number, kind: e.kind, at: e.at, items: e.items ?? [], name: e.name };
  await memory.enter(event, photo, { seq: wire.q, prev: digest });
  return event;
}
