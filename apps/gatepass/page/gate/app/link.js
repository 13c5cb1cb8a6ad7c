// link.js is the network, which comes and goes. Whether there is one says an answer in time, and nothing else: a browser that
// says it is online may stand in a dead corner. A server that has no turn for a request is as good as none.

const base = "/v1/gatepass";
const patience = 1500; // ms to wait for an answer; then the gate decides alone

// An Away is no answer in time.
export class Away extends Error {}

// ask sends a request. An answer is { status, body }; without one it throws Away.
export async function ask(path, { method = "GET", body, within = patience } = {}) {
  const headers = { Accept: "application/json" };
  if (body && !(body instanceof FormData)) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(base + path, { method, headers, body, signal: AbortSignal.timeout(within), credentials: "same-origin", cache: "no-store" });
  } catch (e) {
    throw new Away(String(e));
  }
  if (answer.status === 429 || answer.status >= 502 && answer.status <= 504) throw new Away(String(answer.status));
  const text = await answer.text();
  try {
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  } catch {
    throw new Away("something that is not the server answers");
  }
}
