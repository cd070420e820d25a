// A server of the Model Context Protocol that speaks on standard input and output,
// for clients that speak HTTP: one process a session. Called with the command line of
// the server; prints its own URL, and ends with its standard input.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [program, ...words] = process.argv.slice(2);
const sessions = new Map();

class Session {
  constructor() {
    this.waiting = new Map();
    this.server = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.server.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      const isAnswer = "result" in message || "error" in message;
      if (isAnswer) this.waiting.get(message.id)?.(line);
      this.waiting.delete(message.id);
    });
    // Who still waits when it ends gets that for an answer.
    this.server.on("exit", (code) => {
      for (const [id, answer] of this.waiting) {
        const error = { code: -32603, message: `the server ended: ${code}` };
        answer(JSON.stringify({ jsonrpc: "2.0", id, error }));
      }
    });
  }

  ask(text, message) {
    return new Promise((resolve) => {
      if ("id" in message && "method" in message) this.waiting.set(message.id, resolve);
      else resolve(null);
      this.server.stdin.write(text.replaceAll("\n", " ") + "\n");
    });
  }

  end() {
    this.server.stdin.end();
  }
}

async function answer(request, response) {
  let text = "";
  for await (const chunk of request) text += chunk;
  const known = request.headers["mcp-session-id"];
  if (request.method === "DELETE") {
    sessions.get(known)?.end();
    sessions.delete(known);
    return response.writeHead(200).end();
  }
  if (request.method !== "POST") return response.writeHead(405).end();
  const message = JSON.parse(text);
  const id = message.method === "initialize" ? randomUUID() : known;
  if (message.method === "initialize") sessions.set(id, new Session());
  const session = sessions.get(id);
  if (!session) return response.writeHead(404).end();
  const line = await session.ask(text, message);
  if (line === null) return response.writeHead(202).end();
  const headers = { "content-type": "application/json", "mcp-session-id": id };
  response.writeHead(200, headers).end(line);
}

const bridge = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(400).end(String(error)));
});
bridge.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${bridge.address().port}/mcp`);
});
process.stdin.resume().on("end", () => {
  for (const session of sessions.values()) session.end();
  bridge.closeAllConnections();
  bridge.close();
});
