// share.mjs runs a command with one browser for all the checks in it, and stops that
// browser when the command has ended.
//
//   node share.mjs COMMAND [ARGUMENT…]
//
// The checks find it by BROWSER_WS. Each opens windows of its own in it, which share
// nothing and close with the check. To start a browser takes seconds; a window, none.
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";
import { how } from "./browser.mjs";

const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error("usage: node share.mjs COMMAND [ARGUMENT…]");
  process.exit(2);
}
// A signal is for the command; the browser stays until that has ended.
const server = await chromium.launchServer({ ...how, host: "127.0.0.1", handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false });
const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, BROWSER_WS: server.wsEndpoint() } });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
const status = await new Promise((done) => {
  child.on("error", (e) => { console.error(`${command}: ${e.message}`); done(127); });
  child.on("exit", (code) => done(code ?? 1));
});
await server.close();
process.exit(status);
