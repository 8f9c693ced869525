// A server of dist/ with a store of its own, which a debugger can follow.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';

const READY_MS = 60_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Starts it. `send` resolves with the status and the parsed answer, as the administrator, on one connection. */
export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'trace-'));
  const kubeconfig = join(folder, 'admin.kubeconfig');
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      ...['--inspect=127.0.0.1:0', 'dist/cmd/apiserver/main.js', '--data-dir', join(folder, 'data')],
      ...['--secure-port', String(port), '--write-kubeconfig', kubeconfig],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await debuggerOf(child);
  const credentials = await credentialsIn(kubeconfig);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: credentials.ca });
  const send = (method, path, body, type = 'application/json') =>
    exchange({ method, path, port, agent, headers: headersOf(credentials.token, body, type) }, body);
  await eventually(async () => (await send('GET', '/readyz')).status === 200);
  return {
    address,
    send,
    async stop() {
      agent.destroy();
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

async function debuggerOf(child) {
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = /^Debugger listening on (ws:\S+)$/.exec(line) ?? [];
    if (address !== undefined) {
      child.stderr.resume();
      return address;
    }
  }
  throw new Error('the server does not start: run `make build` before');
}

const credentialsIn = (path) =>
  eventually(async () => {
    const { clusters, users } = parse(readFileSync(path, 'utf8'));
    const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64');
    return { ca, token: users[0].user.token };
  });

/** What `attempt` returns, once it is something and not an error. */
async function eventually(attempt) {
  const end = performance.now() + READY_MS;
  for (;;) {
    try {
      const found = await attempt();
      if (found) return found;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    if (performance.now() > end) throw new Error('the server does not get ready');
    await sleep(50);
  }
}

const headersOf = (token, body, type) => ({
  authorization: `Bearer ${token}`,
  ...(body !== undefined && { 'content-type': type }),
});

async function exchange(options, body) {
  const sent = request({ host: '127.0.0.1', ...options });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode, text };
}
