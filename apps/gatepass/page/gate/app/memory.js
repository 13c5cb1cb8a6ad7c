// memory.js is what the device remembers over reloads and restarts: its key, its book of signed events, the list of its
// site, and photos that have not been sent. It is IndexedDB; the private key cannot be taken out of it.

const opened = new Promise((done, failed) => {
  const ask = indexedDB.open("gavel-gate", 1);
  ask.onupgradeneeded = () => {
    ask.result.createObjectStore("said");
    ask.result.createObjectStore("queue", { keyPath: "seq" });
    ask.result.createObjectStore("photos", { keyPath: "digest" });
  };
  ask.onsuccess = () => done(ask.result);
  ask.onerror = () => failed(ask.error);
});

// change runs something in one transaction that is on the disk when it is over.
async function change(stores, how, run) {
  const db = await opened;
  return new Promise((done, failed) => {
    const tx = db.transaction(stores, how, { durability: "strict" });
    let out;
    tx.oncomplete = () => done(out instanceof IDBRequest ? out.result : undefined);
    tx.onabort = tx.onerror = () => failed(tx.error);
    out = run(tx);
  });
}

export const get = (name) => change(["said"], "readonly", (tx) => tx.objectStore("said").get(name));
export const set = (name, value) => change(["said"], "readwrite", (tx) => tx.objectStore("said").put(value, name));

// enter writes an event with its photo and the new state of the book, all or nothing.
export const enter = (event, photo, book) => change(["said", "queue", "photos"], "readwrite", (tx) => {
  tx.objectStore("queue").add(event);
  if (photo) tx.objectStore("photos").add({ digest: event.digest, photo });
  tx.objectStore("said").put(book, "book");
});

export const queued = (most) => change(["queue"], "readonly", (tx) => tx.objectStore("queue").getAll(undefined, most));
export const waiting = () => change(["queue"], "readonly", (tx) => tx.objectStore("queue").count());
export const sent = (seqs) => change(["queue"], "readwrite", (tx) => { for (const seq of seqs) tx.objectStore("queue").delete(seq); });

// begin forgets the key and the book of an earlier pairing.
export const begin = () => change(["said"], "readwrite", (tx) => { for (const name of ["keys", "book", "station"]) tx.objectStore("said").delete(name); });
export const photo = () => change(["photos"], "readonly", (tx) => tx.objectStore("photos").getAll(undefined, 1)).then((all) => all[0]);
export const forget = (digest) => change(["photos"], "readwrite", (tx) => { tx.objectStore("photos").delete(digest); });
