// Times oh-my-pi's scanner inside its own process: a request a line in, the best seconds out.
// {"messages": [[chunk, ..], ..], "seconds"} -> {"seconds"}; only fresh scanners' feed and flush are timed.
import { createInterface } from "node:readline";

Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};
const { gemini } = await import("./.cache/omp.mjs");

// V8 keeps slices of one flat string cheap to join again: copies make each chunk arrive as from
// a network.
const copies = (chunks) => chunks.map((chunk) => Buffer.from(chunk, "utf8").toString("utf8"));

function once(messages) {
  const fresh = messages.map(copies);
  const start = process.hrtime.bigint();
  for (const chunks of fresh) {
    const scanner = gemini.createScanner({});
    for (const chunk of chunks) scanner.feed(chunk);
    scanner.flush();
  }
  return Number(process.hrtime.bigint() - start) / 1e9;
}

function best(messages, seconds) {
  let least = once(messages);
  for (let spent = least; spent < seconds; ) {
    const took = once(messages);
    least = Math.min(least, took);
    spent += took;
  }
  return least;
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { messages, seconds } = JSON.parse(line);
  let result;
  try {
    result = { seconds: best(messages, seconds) };
  } catch (error) {
    result = { error: String(error).slice(0, 200) };
  }
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
