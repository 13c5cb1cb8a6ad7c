// peer.mjs is the case of bench/agent as LangGraph's own manual would have it
// written: a graph for the orchestrator, a graph for each specialist, an
// interrupt at the gate, and the PostgreSQL checkpointer under all of it.
//
// It speaks JSON lines. The first line in is its settings:
//   {"database": url, "connections": n, "model": url, "durability": "async"}
// and then {"start": id} and {"decide": id, "verdict": "approve"}. Out come
// {"ready": true}, {"waiting": id},
// {"done": id, "answer": text, "act": what came of it} and {"failed": id, "error": text}.
import { createInterface } from "node:readline";
import pg from "pg";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

// asModel turns the graph's messages into what the chat API takes.
function asModel(message) {
  switch (message.getType()) {
    case "human":
      return { role: "user", content: message.content };
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id, content: message.content };
    default:
      return {
        role: "assistant", content: message.content,
        ...(message.tool_calls.length > 0 && { tool_calls: message.tool_calls.map((call) => ({
          id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) },
        })) }),
      };
  }
}

const parameters = (name) => ({
  type: "object", properties: { [name]: { type: "string" } }, required: [name], additionalProperties: false,
});
const tools = (described) => Object.entries(described).map(([name, [description, argument]]) => ({
  type: "function", function: { name, description, parameters: parameters(argument) },
}));

// turn makes a node that asks the model once.
function turn(address, agent, instructions, offered) {
  return async ({ messages }) => {
    const answer = await fetch(address + "/chat/completions", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Gavel-Agent": agent },
      body: JSON.stringify({
        model: "scripted", tools: offered,
        messages: [{ role: "system", content: instructions }, ...messages.map(asModel)],
      }),
    });
    if (!answer.ok) throw new Error(`the model answers ${answer.status}`);
    const { message } = (await answer.json()).choices[0];
    return { messages: [new AIMessage({
      content: message.content ?? "",
      tool_calls: (message.tool_calls ?? []).map((call) => ({
        id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments), type: "tool_call",
      })),
    })] };
  };
}

const calls = ({ messages }) => messages.at(-1).tool_calls ?? [];
const result = (call, content) => new ToolMessage({ tool_call_id: call.id, name: call.name, content });

// specialist is a small agent: it looks something up and reports.
function specialist(address, name) {
  return new StateGraph(MessagesAnnotation)
    .addNode("model", turn(address, name, `You are ${name}. Look it up, then report.`, tools({ look_up: ["Looks up a reading.", "name"] })))
    .addNode("tools", (state) => ({ messages: calls(state).map((call) => result(call, `{"name":"${call.args.name}","value":"41"}`)) }))
    .addEdge(START, "model")
    .addConditionalEdges("model", (state) => (calls(state).length > 0 ? "tools" : END), ["tools", END])
    .addEdge("tools", "model")
    .compile();
}

// consult makes a node that hands one of the orchestrator's calls to a specialist.
function consult(graph, tool) {
  return async (state, config) => {
    const call = state.messages.findLast((m) => m.getType() === "ai").tool_calls.find((c) => c.name === tool);
    const { messages } = await graph.invoke({ messages: [new HumanMessage(call.args.question)] }, config);
    return { messages: [result(call, messages.at(-1).content)] };
  };
}

// gate stops until a person has decided, and then acts.
function gate(state) {
  const [call] = calls(state);
  const { verdict } = interrupt({ tool: call.name, args: call.args });
  return { messages: [result(call, verdict === "approve" ? "sent" : "refused")] };
}

const route = { ask_records: "records", ask_rules: "rules", send_letter: "gate" };

function orchestrator(address, checkpointer) {
  const offered = tools({
    ask_records: ["Asks the records specialist.", "question"], ask_rules: ["Asks the rules specialist.", "question"],
    send_letter: ["Sends a letter. A person decides.", "text"],
  });
  return new StateGraph(MessagesAnnotation)
    .addNode("model", turn(address, "orchestrator", "You are the orchestrator. Consult both specialists, then write.", offered))
    .addNode("records", consult(specialist(address, "records"), "ask_records"))
    .addNode("rules", consult(specialist(address, "rules"), "ask_rules"))
    .addNode("gate", gate)
    .addEdge(START, "model")
    .addConditionalEdges("model", (state) => (calls(state).length > 0 ? calls(state).map((call) => route[call.name]) : END),
      ["records", "rules", "gate", END])
    .addEdge("records", "model").addEdge("rules", "model").addEdge("gate", "model")
    .compile({ checkpointer });
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const settings = JSON.parse((await lines.next()).value);
const pool = new pg.Pool({ connectionString: settings.database, max: settings.connections });
const checkpointer = new PostgresSaver(pool);
if (settings.setup) await checkpointer.setup();
const graph = orchestrator(settings.model, checkpointer);

async function go(id, input) {
  try {
    const state = await graph.invoke(input, { configurable: { thread_id: id }, durability: settings.durability });
    if (state.__interrupt__?.length > 0) say({ waiting: id });
    else say({
      done: id, answer: state.messages.at(-1).content,
      act: state.messages.find((m) => m.getType() === "tool" && m.name === "send_letter")?.content,
    });
  } catch (error) {
    say({ failed: id, error: String(error?.stack ?? error) });
  }
}

say({ ready: true });
for await (const line of lines) {
  const { start, decide, verdict } = JSON.parse(line);
  if (start) go(start, { messages: [new HumanMessage("Look into van 14.")] });
  else go(decide, new Command({ resume: { verdict } }));
}
await pool.end();
