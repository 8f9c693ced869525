/** Probes and an administrator, who ask little and steadily while everybody else asks for too much. */
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../client.js';
import { createHttp2Client } from '../http2client.js';
import { objectBody, nameOf, pathOf } from '../objects.js';

/** Of each kind, in a second. */
const RATE = 20;
const PROBES = ['/livez', '/readyz'];
const TIMEOUT_MS = 10_000;
/** What Go's clients take of an answer before they say that they have: with Node's 64 KiB a list waits for this client several times. */
const GO_WINDOW = 4 * 1024 * 1024;

/** How long answers took, in ms; those that were none are as long as a client waits. */
export interface Calm {
  readonly probes: number[];
  readonly masters: number[];
}

export const noCalm = (): Calm => ({ probes: [], masters: [] });

/** As the kubelet asks: over a connection of its own each time. Gives the status. */
function probe(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false } as const;
    const sent = request({ ...options, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('timeout', () => sent.destroy(new Error('timeout')));
    sent.once('error', reject);
    sent.end();
  });
}

/** Asks until `until` settles, and adds what it took to `calm`. */
export async function askCalmly(endpoint: Endpoint, until: Promise<unknown>, calm: Calm): Promise<void> {
  const client = createHttp2Client(endpoint, 1, GO_WINDOW);
  const run = Date.now().toString(36);
  let over = false;
  void until.catch(() => undefined).then(() => (over = true));
  const timed = async (times: number[], ask: () => Promise<number>): Promise<void> => {
    const began = performance.now();
    const code = await ask().catch(() => 0);
    times.push(code >= 200 && code < 300 ? performance.now() - began : TIMEOUT_MS);
  };
  /** Reads, lists and writes by turns. */
  const master = async (turn: number): Promise<number> => {
    const name = `calm-${run}-${turn}`;
    const create = { method: 'POST', path: pathOf('builds-0'), body: objectBody('builds-0', name, turn) };
    const calls = [{ path: pathOf('team-0', nameOf(turn % 100)) }, { path: pathOf('team-0') }, create];
    return (await client.send(calls[turn % calls.length] ?? create)).code;
  };
  const asked: Promise<void>[] = [];
  for (let turn = 0; !over; turn++) {
    asked.push(timed(calm.probes, () => probe(endpoint.port, PROBES[turn % PROBES.length] ?? '/livez')));
    // Apart, as the handshake of the one would take this process from the other.
    await sleep(500 / RATE);
    asked.push(timed(calm.masters, () => master(turn)));
    await sleep(500 / RATE);
  }
  await Promise.all(asked);
  client.close();
}
