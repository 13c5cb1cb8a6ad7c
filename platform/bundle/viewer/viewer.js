// The bundle's viewer. It shows the files that stand in this page, hashes what it
// can, and says what it cannot prove. Everything from the bundle becomes text,
// never markup. It fetches nothing: the page's policy would refuse it.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("bundle-data").textContent);
  const files = new Map(data.files.map((f) => [f.path, f]));
  const most = 500; // rows shown at first

  // ---- making elements ----
  function el(tag, attrs, ...inside) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attrs || {})) {
      if (v === undefined || v === null || v === false) continue;
      if (k === "class") e.className = v;
      else if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
      else e.setAttribute(k, v);
    }
    e.append(...inside.flat().filter((x) => x !== null && x !== undefined && x !== ""));
    return e;
  }
  function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", "#i-" + name);
    svg.append(use);
    return svg;
  }
  const badge = (kind, name, word) => el("span", { class: "badge " + kind }, icon(name), word);
  const short = (hash) => el("span", { class: "hash", title: hash }, hash.slice(0, 8) + "…" + hash.slice(-4));
  const moment = (t) => el("time", { datetime: t }, t.slice(0, 10) + " " + t.slice(11, 16));
  const panel = (title, ...inside) => el("section", { class: "panel" }, el("div", { class: "panel-head" }, el("h2", {}, title)), ...inside);
  function table(caption, heads, rows) {
    const body = el("tbody");
    const wrap = el("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": caption },
      el("table", {}, el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col" }, h)))), body));
    let next = 0;
    const more = el("button", { class: "btn no-print", type: "button", onclick: () => grow() });
    function grow() {
      for (const end = Math.min(rows.length, next + most); next < end; next++) body.append(rows[next]());
      more.textContent = "Show more (" + (rows.length - next) + " left)";
      more.hidden = next >= rows.length;
    }
    grow();
    return el("div", {}, wrap, more.hidden ? null : el("div", { class: "panel-foot" }, more));
  }

  // ---- reading the files in this page ----
  function lines(path) {
    const f = files.get(path);
    if (!f || f.text === undefined) return [];
    return f.text.split("\n").filter((l) => l !== "").map((l) => JSON.parse(l));
  }
  const one = (path) => lines(path)[0] || {};
  const absent = (path) => files.has(path) && files.get(path).text === undefined
    ? el("p", { class: "notice warn" }, path + " is too long to stand in this page; open the file itself.") : null;

  // ---- the case ----
  function head() {
    const c = one("case/case.json");
    document.getElementById("org").textContent = data.org;
    const state = { open: "Open", waiting: "Waiting", closed: "Closed" }[c.state] || c.state || "unknown";
    return [
      el("header", { class: "page-head" },
        el("p", { class: "crumb" }, [c.app, c.ref, data.case].filter(Boolean).join(" / ")),
        el("h1", { dir: "auto" }, c.title || (c.erased_at ? "Title erased on " + c.erased_at.slice(0, 10) : data.case)),
        el("p", { class: "small muted" }, "As it stood on ", moment(data.made_at), " UTC · version " + (c.version || "?") + " · made by " + data.program)),
      el("section", { class: "panel verdict-strip", "aria-label": "Where the case stands" },
        el("div", {}, el("p", { class: "eyebrow" }, "State"), el("p", { class: "strip-word" }, state), el("p", { class: "small muted" }, c.status || "")),
        el("div", {}, el("p", { class: "eyebrow" }, "Waiting for"), el("p", {}, c.waiting_for || "nothing"),
          c.due_at ? el("p", { class: "small muted" }, "due ", moment(c.due_at), " UTC") : null),
        el("div", {}, el("p", { class: "eyebrow" }, "Signed with"), el("p", { class: "hash" }, data.key),
          el("p", { class: "small muted" }, "Compare it with the key the institution publishes."))),
    ];
  }

  // ---- the note sheet ----
  const people = { person: "user", agent: "agent", machine: "source", system: "clock" };
  function history() {
    const all = lines("history/entries.ndjson");
    const note = (e) => el("li", { class: "note", id: "note-" + e.seq },
      el("span", { class: "note-n" }, String(e.seq)),
      el("div", {},
        el("p", { class: "note-by" },
          e.actor.kind === "person" ? el("span", { class: "avatar", "aria-hidden": "true" }, (e.actor.name || e.actor.id).slice(0, 1).toUpperCase()) : icon(people[e.actor.kind] === "agent" ? "agent" : "clock"),
          el("b", {}, e.actor.name || e.actor.id), moment(e.at), el("span", { class: "sealed" }, icon("lock"), "permanent")),
        el("p", { class: "note-kind" }, e.kind.replaceAll("_", " ")),
        e.erased_at ? el("p", { class: "note-text muted" }, "Erased on " + e.erased_at.slice(0, 10) + "; the log has the record.")
          : e.text ? el("p", { class: "note-text", dir: "auto" }, e.text) : null));
    const list = el("ol", { class: "notes" }, all.slice(0, most).map(note));
    const rest = all.slice(most);
    return panel("The note sheet", el("div", { class: "panel-body" }, absent("history/entries.ndjson"), list,
      rest.length ? el("button", { class: "btn no-print", type: "button", onclick: (ev) => { list.append(...rest.map(note)); ev.target.remove(); } }, "Show all " + all.length + " notes") : null));
  }

  // ---- facts ----
  const ref = (f) => f.id + "@" + f.version;
  function where(f) {
    if (f.calc) return f.calc.op.replaceAll("_", " ") + " of " + f.calc.inputs.slice(0, 4).join(", ") + (f.calc.inputs.length > 4 ? " and " + (f.calc.inputs.length - 4) + " more" : "");
    const s = f.source || {}, sel = s.selector || {};
    if (sel.csv) return "row " + sel.csv.row + ", column " + sel.csv.column;
    if (sel.json) return "JSON " + sel.json.pointer;
    if (sel.row) return "row " + sel.row.pk + " of " + sel.row.table;
    if (sel.manual) return "stated by " + sel.manual.by;
    return "unknown";
  }
  const number = (f) => el("data", { class: "fact " + f.kind, value: f.value, "data-fact": f.id }, f.display);
  function facts() {
    const all = lines("facts/facts.ndjson").sort((a, b) => a.id.slice(1) - b.id.slice(1) || a.version - b.version);
    const by = new Map(all.map((f) => [ref(f), f]));
    const snap = (f) => f.source && f.source.snapshot ? [" of ", el("a", { href: "#snap-" + f.source.snapshot.slice(0, 16) }, "snapshot ", short(f.source.snapshot))] : [];
    function tree(f, depth) {
      const li = el("li", {}, el("b", {}, ref(f)), " ", number(f), " ", el("span", { class: "muted" }, where(f)), snap(f));
      if (f.calc && depth < 12) li.append(el("ul", {}, f.calc.inputs.slice(0, 200).map((r) => by.has(r) ? tree(by.get(r), depth + 1) : el("li", {}, r + " is not in this page"))));
      return li;
    }
    const about = (f) => Object.entries((f.subject || {}).ids || {}).map(([k, v]) => k + " " + v).join(", ");
    const row = (f) => () => {
      const how = el("td", {}, where(f), snap(f));
      if (f.calc) {
        const fold = el("details", { class: "fold", ontoggle: (ev) => { if (ev.target.open && !ev.target.querySelector(".tree")) ev.target.append(el("ul", { class: "tree" }, tree(f, 0))); } }, el("summary", {}, "How it was computed"));
        how.append(fold);
      }
      return el("tr", { id: "fact-" + f.id + "-" + f.version }, el("th", { scope: "row" }, f.id, el("span", { class: "muted" }, " v" + f.version)),
        el("td", { class: "num" }, number(f), el("br"), el("span", { class: "muted small", title: "exact value" }, f.exact && f.exact !== f.value ? f.exact : "")),
        el("td", {}, f.kind), el("td", {}, about(f)), how);
    };
    const slot = el("div");
    const heads = ["Fact", "Value", "Kind", "About", "Source or formula"];
    const show = (want) => {
      const w = want.trim().toLowerCase();
      const hit = w ? all.filter((f) => (ref(f) + " " + f.display + " " + f.value + " " + f.kind + " " + about(f) + " " + where(f)).toLowerCase().includes(w)) : all;
      slot.replaceChildren(table("Facts", heads, hit.map(row)), el("p", { class: "panel-foot", role: "status" }, hit.length + " of " + all.length + " facts"));
    };
    show("");
    const search = el("input", { class: "input", id: "find", type: "search", oninput: (ev) => show(ev.target.value) });
    return panel("Facts", el("div", { class: "panel-body" }, absent("facts/facts.ndjson"),
      el("p", { class: "small muted" }, "The underline tells the kind: observed solid, computed double, quoted dotted, assumed wavy. To have every number read and computed again: gavel reperform."),
      el("div", { class: "field no-print" }, el("label", { for: "find" }, "Find a fact"), search)), slot);
  }

  // ---- snapshots and evidence ----
  function snapshots() {
    const pieces = lines("snapshots/evidence.ndjson"), receipts = lines("snapshots/receipts.ndjson");
    const sides = { for: ["ok", "check", "For"], against: ["", "slash", "Against"], unknown: ["", "unknown", "Unknown"] };
    const part = (p) => !p.range ? "the whole snapshot" : p.range.csv ? "rows " + p.range.csv.from + " to " + p.range.csv.to : p.range.json ? "JSON " + p.range.json.pointer : "row " + p.range.row.pk;
    const cards = pieces.slice(0, most).map((p) => el("article", { class: "panel ev-card" }, el("header", {}, el("span", { class: "ev-id" }, p.id),
      el("div", { class: "grow" }, el("h3", { dir: "auto" }, p.title || "Erased on " + (p.erased_at || "").slice(0, 10)), el("p", { class: "small muted" }, part(p) + " of ", el("a", { href: "#snap-" + p.sha256.slice(0, 16) }, short(p.sha256)), " · ", moment(p.at)), p.note ? el("p", { class: "small", dir: "auto" }, p.note) : null),
      badge(...(sides[p.side] || sides.unknown)))));
    const row = (s) => () => el("tr", { id: "snap-" + s.sha256.slice(0, 16) },
      el("th", { scope: "row" }, el("a", { href: "snapshots/bytes/" + s.sha256, download: s.sha256 }, short(s.sha256))),
      el("td", {}, s.source), el("td", { class: "nowrap" }, moment(s.fetched_at)), el("td", { class: "num" }, String(s.size)), el("td", {}, s.detected),
      el("td", {}, s.sealed_under ? badge("warn", "lock", "sealed") : s.place), el("td", {}, s.licence));
    return panel("Snapshots and evidence", el("div", { class: "panel-body stack-s" }, absent("snapshots/receipts.ndjson"), cards),
      table("Snapshots", ["SHA-256", "Source", "Received, UTC", "Bytes", "Looks like", "From", "Licence"], receipts.map(row)));
  }

  // ---- proposals, decisions, acts ----
  const fold = (title, text) => el("details", { class: "fold" }, el("summary", {}, title), el("pre", { class: "code wrap", tabindex: "0" }, text));
  const plainly = (x) => (x || "").replaceAll("_", " ");
  const marks = { approved: ["ok", "check"], edited: ["ok", "check"], done: ["ok", "check"], rejected: ["bad", "stop"], failed: ["bad", "stop"], unknown: ["warn", "unknown"], open: ["warn", "clock"] };
  const state = (x) => badge(...(marks[x] || ["", "info"]), plainly(x));
  const texts = (section, t, sum, at) => t || (files.get(section + "/texts/" + sum + ".json") || {}).text || (at ? "Erased on " + at.slice(0, 10) + "; the log has the record." : "");
  function decisions() {
    const answers = new Map();
    for (const d of lines("decisions/decisions.ndjson")) answers.set(d.proposal, [...(answers.get(d.proposal) || []), d]);
    const leaves = new Map(lines("decisions/delegations.ndjson").map((g) => [g.id, g]));
    const roles = (d) => {
      const g = leaves.get(d.delegation);
      return g ? g.roles.join(", ") + ", delegated until " + (g.ended_at || g.ends_at).slice(0, 10) : d.roles.join(", ");
    };
    const who = (d) => [el("b", {}, d.actor.name || d.actor.id), ...(d.on_behalf ? [" for ", el("b", {}, d.on_behalf_name || d.on_behalf)] : [])];
    const answer = (d) => el("li", {}, who(d), " (" + roles(d) + "): " + plainly(d.verdict) + ", ", moment(d.at), d.reason ? el("p", { class: "small", dir: "auto" }, d.reason) : null);
    const test = (p) => p.test ? [" ", badge("", "info", "was a test"), el("p", { class: "small", dir: "auto" }, "What was wrong with it: " + (p.test.truth || "erased"))] : [];
    const row = (p) => () => el("tr", { id: "prop-" + p.id }, el("th", { scope: "row" }, p.id), el("td", {}, plainly(p.tool || p.kind)), el("td", {}, p.requested_by),
      el("td", {}, state(p.state), test(p)), el("td", {}, el("ul", { class: "tree" }, (answers.get(p.id) || []).map(answer)),
        p.expires_at && p.state === "open" ? el("p", { class: "small muted" }, "open until ", moment(p.expires_at)) : null),
      el("td", {}, fold("What was shown", texts("decisions", p.shown, p.shown_sha256, p.erased_at)), p.final_args ? fold("As edited", p.final_args) : null));
    return panel("Proposals and decisions", el("div", { class: "panel-body" }, absent("decisions/proposals.ndjson")),
      table("Proposals and decisions", ["Proposal", "To do", "Asked by", "State", "Who decided, UTC", "On what"], lines("decisions/proposals.ndjson").map(row)));
  }
  function acts() {
    const row = (a) => () => el("tr", {}, el("th", { scope: "row" }, plainly(a.tool)), el("td", {}, a.effect), el("td", {}, state(a.state), a.reason ? el("p", { class: "small" }, a.reason) : null),
      el("td", { class: "nowrap" }, moment(a.planned_at)), el("td", {}, a.proposal ? el("a", { href: "#prop-" + a.proposal }, a.proposal) : "policy, nobody asked", el("p", { class: "small muted" }, a.by.id)),
      el("td", {}, fold("With what", texts("acts", a.args, a.args_sha256, a.erased_at)), a.result_sha256 ? fold("What came of it", texts("acts", a.result, a.result_sha256, a.erased_at)) : null));
    return panel("Acts", el("div", { class: "panel-body" }, absent("acts/acts.ndjson")), table("Acts", ["Act", "Effect", "State", "Authorised, UTC", "By", "Text"], lines("acts/acts.ndjson").map(row)));
  }

  // ---- what agents did ----
  const ruled = { read: "looked with ", act: "was let do ", ask: "asked a person for ", agent: "set to work ", refused: "was refused " };
  function runs() {
    const all = lines("runs/runs.ndjson"), names = new Map(all.map((r) => [r.id, r.agent]));
    const turn = (s) => () => {
      const calls = (s.calls || []).map((c) => (ruled[c.verdict] || c.verdict + " ") + c.tool).join("; ");
      const node = files.get("transcripts/nodes/" + s.head_sha256 + ".json");
      return el("tr", {}, el("th", { scope: "row" }, plainly(names.get(s.run)) + " " + s.seq), el("td", { class: "nowrap" }, moment(s.at)),
        el("td", {}, s.model.model || "nobody answered", el("p", { class: "small muted" }, s.model.usage.input + " in, " + s.model.usage.output + " out")), el("td", {}, calls || (s.kind === "compaction" ? "summed up" : "answered")),
        el("td", {}, node && node.text !== undefined ? fold("What was said", JSON.stringify(JSON.parse(node.text), null, 2)) : badge("warn", "lock", "sealed"), el("a", { href: "#rec-" + s.record }, "record")));
    };
    const row = (r) => () => el("tr", {}, el("th", { scope: "row" }, plainly(r.agent)), el("td", {}, state(r.state), r.reason ? el("p", { class: "small" }, r.reason) : null), el("td", {}, r.for || "nobody"),
      el("td", {}, r.parent ? plainly(names.get(r.parent)) + ", call " + r.parent_call : "the case"), el("td", { class: "num" }, String(r.model_calls)), el("td", { class: "num" }, r.tokens_in + r.tokens_out + ""), el("td", {}, r.tainted ? badge("warn", "info", "read text from outside") : "no"));
    return panel("Agents' runs", el("div", { class: "panel-body" }, absent("runs/steps.ndjson")),
      table("Runs", ["Agent", "State", "For", "Set to work by", "Turns", "Tokens", "Outside text"], all.map(row)),
      table("Steps", ["Step", "When, UTC", "Model", "What it did", "Words"], lines("runs/steps.ndjson").map(turn)));
  }

  // ---- the log ----
  const bytes = (text) => new TextEncoder().encode(text);
  const sha = async (b) => new Uint8Array(await crypto.subtle.digest("SHA-256", b));
  const hex = (b) => Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");
  const unbase = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));
  function join(...parts) {
    const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const p of parts) { out.set(p, at); at += p.length; }
    return out;
  }
  // rootOf walks from a record's leaf to the root of its checkpoint (RFC 9162, 2.1.3.2).
  async function rootOf(record, proof) {
    let h = await sha(join(new Uint8Array([0]), bytes(record)));
    let at = BigInt(proof.seq), last = BigInt(proof.checkpoint) - 1n;
    for (const p of proof.path || []) {
      if (last === 0n) return "";
      if (at % 2n === 1n || at === last) {
        h = await sha(join(new Uint8Array([1]), unbase(p), h));
        while (at % 2n === 0n && at !== 0n) { at /= 2n; last /= 2n; }
      } else h = await sha(join(new Uint8Array([1]), h, unbase(p)));
      at /= 2n; last /= 2n;
    }
    return last === 0n ? btoa(String.fromCharCode(...h)) : "";
  }
  function roots() {
    const at = new Map();
    const notes = lines("log/checkpoints.ndjson").map((c) => c.note);
    notes.push((files.get("log/checkpoint") || {}).text || "");
    for (const n of notes) { const [, size, root] = n.split("\n"); at.set(size, root); }
    return at;
  }
  function log() {
    const raw = ((files.get("log/records.ndjson") || {}).text || "").split("\n").filter(Boolean);
    const proofs = lines("log/proofs.ndjson");
    const row = (text, i) => () => {
      const r = JSON.parse(text), p = proofs[i] || { path: [] };
      return el("tr", { id: "rec-" + r.id }, el("th", { scope: "row" }, String(p.seq)), el("td", { class: "nowrap" }, moment(r.at)), el("td", {}, r.kind), el("td", {}, r.actor.id),
        el("td", {}, el("details", { class: "fold" }, el("summary", {}, r.id), el("pre", { class: "code wrap", tabindex: "0" }, JSON.stringify(r, null, 2)),
          el("p", { class: "small muted" }, (p.path || []).length + " hashes lead from it to the root of checkpoint " + p.checkpoint))));
    };
    return panel("Records of the log", el("div", { class: "panel-body" }, absent("log/records.ndjson"),
      el("pre", { class: "code", tabindex: "0" }, (files.get("log/checkpoint") || {}).text || "")),
      table("Records", ["Entry", "When, UTC", "Kind", "By", "Record"], raw.map(row)));
  }

  // ---- sections this page has no picture of ----
  function plain(part) {
    const whole = data.files.filter((f) => f.path.startsWith(part.name + "/")), mine = whole.slice(0, most);
    return panel(part.title, el("div", { class: "panel-body" }, mine.map((f) => f.text === undefined ? el("p", { class: "small" }, f.path + " (" + f.size + " bytes)")
      : el("details", { class: "fold" }, el("summary", {}, f.path), el("pre", { class: "code wrap", tabindex: "0" }, f.text.slice(0, 200000)))),
      whole.length > most ? el("p", { class: "small muted" }, "and " + (whole.length - most) + " more files in the folder " + part.name) : null));
  }

  // ---- checking, here and elsewhere ----
  function step(list, title, proves, doesNot, ...inside) {
    const dot = el("span", { class: "dot" }, icon("unknown")), said = el("p", { class: "small", role: "status" });
    list.append(el("li", {}, dot, el("h3", {}, title), said, el("p", { class: "small muted" }, el("b", {}, "Proves "), proves, " ", el("b", {}, "Does not prove "), doesNot), ...inside));
    return (ok, text) => {
      dot.className = "dot " + (ok ? "ok" : "bad");
      dot.replaceChildren(icon(ok ? "tick" : "stop"));
      said.textContent = text;
    };
  }
  async function checkRecords(say) {
    const raw = ((files.get("log/records.ndjson") || {}).text || "").split("\n").filter(Boolean);
    const proofs = lines("log/proofs.ndjson"), known = roots();
    let good = 0, bad = "";
    for (let i = 0; i < raw.length; i++) {
      const p = proofs[i];
      if (p && (await rootOf(raw[i], p)) === known.get(String(p.checkpoint))) good++;
      else bad = bad || JSON.parse(raw[i]).id;
    }
    say(good === raw.length && good === proofs.length, good + " of " + raw.length + " records lead to the root of a checkpoint." + (bad ? " Record " + bad + " does not." : ""));
  }
  async function checkPage(say) {
    let good = 0, all = 0, bad = "";
    for (const f of data.files) {
      if (f.text === undefined) continue;
      all++;
      if (hex(await sha(bytes(f.text))) === f.sha256) good++;
      else bad = bad || f.path;
    }
    say(good === all, good + " of " + all + " files in this page have the SHA-256 it names." + (bad ? " " + bad + " does not." : ""));
  }
  async function checkChosen(chosen, say) {
    const found = Array.from(chosen).map((f) => ({ f, path: (f.webkitRelativePath || f.name).split("/") }));
    const m = found.find((x) => x.path[x.path.length - 1] === "manifest.json");
    if (!m) return say(false, "There is no manifest.json among the files you chose.");
    let listed;
    try { listed = new Map(JSON.parse(await m.f.text()).files.map((f) => [f.path, f.sha256])); } catch { return say(false, "manifest.json cannot be read."); }
    const wrong = [], beside = new Set(["manifest.json", "manifest.sig", "manifest.note"]);
    for (const f of data.files) if (listed.get(f.path) !== f.sha256) wrong.push(f.path + " (in this page)");
    let checked = 0;
    for (const { f, path } of found) {
      const name = f.webkitRelativePath ? path.slice(1).join("/") : path.join("/");
      if (beside.has(name)) continue;
      const sum = hex(await sha(await f.arrayBuffer()));
      checked++;
      if (listed.get(name) !== sum && !(!f.webkitRelativePath && Array.from(listed.values()).includes(sum))) wrong.push(name);
    }
    say(wrong.length === 0, wrong.length ? "Not as listed in manifest.json: " + wrong.slice(0, 5).join(", ") + (wrong.length > 5 ? " and " + (wrong.length - 5) + " more" : "") + "."
      : "This page and " + checked + " chosen files are as listed in manifest.json; it lists " + listed.size + ".");
  }
  function check() {
    const list = el("ol", { class: "steps" });
    const page = step(list, "This page is whole", "that nothing in the page was damaged.", "anything else: who can change the page can change its hashes.");
    const records = step(list, "The records lead to the log's checkpoints", "that each record is in a log whose state is written above, as it is here.", "that the institution signed that state: this page does not check signatures.");
    const folder = el("input", { type: "file", id: "folder", webkitdirectory: "", onchange: (e) => checkChosen(e.target.files, chosen) });
    const several = el("input", { type: "file", id: "several", multiple: "", onchange: (e) => checkChosen(e.target.files, chosen) });
    const chosen = step(list, "The files are those of the manifest", "that this page and the files you choose are the ones manifest.json lists.", "that manifest.json is the institution's: only its signature does.",
      el("div", { class: "row no-print" }, el("div", { class: "field" }, el("label", { for: "folder" }, "Choose the unpacked folder"), folder), el("div", { class: "field" }, el("label", { for: "several" }, "or manifest.json and other files"), several)));
    step(list, "It comes from the institution", "with a key you were given: the signature over manifest.json and over the log's state, that earlier states of the log are part of it, that facts and receipts are those in the log.",
      "what sources or people said is true.", el("pre", { class: "code", tabindex: "0" }, "gavel verify FILE.zip --key KEY\ngavel reperform FILE.zip\n\n# by hand; more in VERIFY.md\nopenssl pkeyutl -verify -pubin -inkey key.pem -rawin -in manifest.json -sigfile manifest.sig\nsha256sum -c SHA256SUMS"))
      ;
    if (crypto.subtle) { checkPage(page); checkRecords(records); } else { page(false, "This browser does not hash files opened from disk."); records(false, "This browser does not hash files opened from disk."); }
    return el("section", { class: "panel" }, el("div", { class: "panel-head" }, el("h2", {}, "Check it"), badge("warn", "info", "the last step needs gavel or openssl")), el("div", { class: "panel-body" }, list));
  }

  // ---- putting it together ----
  const pictures = { history, facts, snapshots, decisions, acts, runs, log };
  document.getElementById("head").replaceChildren(...head());
  const parts = document.getElementById("parts"), rail = document.getElementById("rail");
  function add(id, title, name, body) {
    body.id = id;
    parts.append(body);
    rail.append(el("li", {}, el("a", { href: "#" + id }, icon(name), title)));
  }
  rail.append(el("li", {}, el("a", { href: "#main" }, icon("case"), "The case")));
  add("check", "Check it", "audit", check());
  for (const part of data.sections) {
    if (part.name === "case") continue;
    add("part-" + part.name, part.title.split(",")[0], ({ snapshots: "source", log: "audit", decisions: "check", acts: "tick", runs: "agent", transcripts: "agent" })[part.name] || "case", (pictures[part.name] || (() => plain(part)))());
  }
  document.documentElement.dataset.ready = "yes";
})();
