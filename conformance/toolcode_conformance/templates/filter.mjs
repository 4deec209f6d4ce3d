// A filter: a message on stdin, its text and calls as JSON on stdout, exit code 0.
import { readFileSync } from "node:fs";

// Call your parser here. Segments are {text}, {thinking} or {call: {name, arguments}},
// in the order of the message.
function parse(message) {
  return message ? [{ text: message }] : [];
}

process.stdout.write(JSON.stringify({ segments: parse(readFileSync(0, "utf8")) }));
