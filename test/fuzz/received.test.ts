/**
 * Generated requests, sent as bytes over both protocols to the listener: what it hands on is byte for byte what was sent, or
 * the request is refused and its connection goes on. `RECEIVED_REQUESTS` (1500 for each protocol) bounds the number, `SEED`
 * repeats a run.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startListener } from '../fixtures/servers/rawlistener.js';
import type { Listener } from '../../pkg/server/listener/listener.js';
import type { Exchange } from '../../pkg/server/httpexchange.js';
import { chanceOf, type Chance } from './received/chance.js';
import { Http1Sender, type Outcome } from './received/overhttp1.js';
import { Http2Sender } from './received/overhttp2.js';
import { generate, meantBy, type Generated, type Understood } from './received/requests.js';

const REQUESTS = Number(process.env.RECEIVED_REQUESTS ?? '1500');
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const AT_ONCE = 20;
const failures: unknown[] = [];

let listener: Listener;

/** Answers with what it has understood. */
async function tell({ request, response, proved }: Exchange): Promise<void> {
  proved?.();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => request.once('end', resolve));
  const { rawHeaders } = request;
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
  const said = {
    method: request.method,
    target: request.url,
    fields: pairs,
    body: Buffer.concat(chunks).toString('base64'),
  };
  const text = Buffer.from(JSON.stringify(said), 'latin1');
  response.writeHead(200, { 'Content-Length': String(text.length) });
  response.end(text);
}

beforeAll(async () => {
  listener = await startListener(tell, { failed: (error: unknown) => void failures.push(error) });
});
afterAll(() => listener.drain(0));

/** Without the fields that the sender adds. */
function understood(body: string): Understood {
  const { fields, ...rest } = JSON.parse(body) as Understood;
  const begin = fields.findIndex(([name]) => name === 'x-begin') + 1;
  const own = fields.slice(begin).filter(([name, _value], at) => at > 0 || name !== 'host');
  return { ...rest, fields: own };
}

/** `loose`: a colon in a name ends it over HTTP/1.1, and blanks after it are none of the value's. */
function textOf({ method, target, fields, body }: Understood, loose: boolean): string {
  const told = loose ? fields.map((field) => field.join(':').replace(/:[ \t]*/g, ':')) : fields;
  return JSON.stringify([method, target, told, body]);
}

class Counts {
  served = 0;
  refused = 0;

  judge(request: Generated, { status, body }: Outcome, http1: boolean): void {
    const context = `seed ${SEED}: ${JSON.stringify(request).slice(0, 3000)} got ${status} ${body.slice(0, 300)}`;
    if (status !== 200) {
      this.refused += 1;
      if (request.sound || status >= 500) throw new Error(`it was not served, ${context}`);
      return;
    }
    this.served += 1;
    const said = understood(body);
    const framing = /^(content-length|transfer-encoding)$/;
    const fields = http1 ? said.fields.filter(([name]) => !framing.test(name)) : said.fields;
    const meant = meantBy(request, http1);
    const loose = http1 && request.fields.some(([name]) => name.includes(':'));
    if (textOf({ ...said, fields }, loose) !== textOf(meant, loose))
      throw new Error(`it understood something else, ${context}`);
  }
}

const report = (protocol: string, { served, refused }: Counts): void =>
  void process.stderr.write(`${protocol}, seed ${SEED}: ${served} served as sent, ${refused} refused\n`);

test('over HTTP/1.1 a request is understood as it was sent, or refused', async () => {
  const counts = new Counts();
  const lane = async (chance: Chance): Promise<void> => {
    const sender = new Http1Sender(listener.port, chance);
    for (let sent = 0; sent < REQUESTS / AT_ONCE; sent += 1) {
      const request = generate(chance);
      counts.judge(request, await sender.send(request), true);
    }
    sender.close();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_each, at) => lane(chanceOf(SEED + at))));
  report('HTTP/1.1', counts);
  expect(counts.served).toBeGreaterThan(REQUESTS / 4);
  expect(counts.refused).toBeGreaterThan(REQUESTS / 20);
  expect(failures).toEqual([]);
});

test('over HTTP/2 a request is understood as it was sent, or refused without its connection', async () => {
  const counts = new Counts();
  const chance = chanceOf(SEED + 1000);
  const sender = new Http2Sender(listener.port, chance);
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    const requests = Array.from({ length: AT_ONCE }, () => generate(chance));
    const outcomes = await sender.send(requests);
    expect({ seed: SEED, sent, faults: sender.faults }).toEqual({ seed: SEED, sent, faults: [] });
    outcomes.forEach((outcome, at) => counts.judge(requests[at] as Generated, outcome, false));
  }
  sender.close();
  report('HTTP/2', counts);
  expect(counts.served).toBeGreaterThan(REQUESTS / 4);
  expect(counts.refused).toBeGreaterThan(REQUESTS / 20);
  expect(failures).toEqual([]);
});
