// worker.js keeps the app where there is no network. What stands before this line is written by the server: VERSION, and FILES.
self.addEventListener("install", (e) => e.waitUntil((async () => {
  const cache = await caches.open(VERSION);
  await cache.addAll(FILES.map((path) => new Request(path, { cache: "reload" })));
  await self.skipWaiting();
})()));

self.addEventListener("activate", (e) => e.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("gate-") && name !== VERSION) await caches.delete(name);
  await self.clients.claim();
})()));

// Files of the app come from the cache, and everything else from the network: what is known of passes is the page's own to keep.
self.addEventListener("fetch", (e) => {
  const { pathname, origin } = new URL(e.request.url);
  if (e.request.method !== "GET" || origin !== location.origin || !FILES.includes(pathname)) return;
  e.respondWith((async () => {
    const cache = await caches.open(VERSION);
    return await cache.match(pathname, { ignoreVary: true }) ?? fetch(e.request);
  })());
});
