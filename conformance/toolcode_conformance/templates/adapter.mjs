// An adapter: one JSON object a line, answered by one line, until stdin ends.
import { createInterface } from "node:readline";

// Put your streaming parser here. Events are {text}, {thinking_start: true}, {thinking},
// {thinking_end: true} and {call: {name, arguments}}.
class Scanner {
  feed(chunk) {
    return chunk ? [{ text: chunk }] : [];
  }

  close() {
    return [];
  }
}

const HELLO = {
  protocol: 1,
  implementation: { name: "my-parser", version: "0", language: "JavaScript" },
  capabilities: ["scan", "streaming"], // add "thinking" when it is offered
};

function answer(request) {
  if (request.op === "hello") return { result: HELLO };
  if (request.op !== "scan" || !request.chunks) return { unsupported: request.op };
  const scanner = new Scanner();
  const steps = request.chunks.map((chunk) => scanner.feed(chunk));
  return { result: { steps: [...steps, scanner.close()] } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = answer(request);
  } catch (error) {
    reply = { error: String(error) }; // the suite tells an error from a wrong answer
  }
  process.stdout.write(JSON.stringify({ id: request.id, ...reply }) + "\n");
}
