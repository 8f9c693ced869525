/** Clients that overload a server over real connections: the responses that they and others get, and their order. */
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Handler } from '../../httpexchange.js';
import { listen, type Listener } from '../../listener/listener.js';
import { Newcomers } from '../../listener/newcomers.js';
import { requestInfo } from '../../requestinfo.js';
import { issueAuthority, issueServing, type KeyPair } from '../../../pki/issue.js';
import { flowControl } from './flowcontrol.js';
import { NO_SLOT } from './slot.js';

const STREAMS = 100;
/** The CPU time that each request takes. */
const WORK_MS = 1;
const MAPS = '/api/v1/namespaces/a/configmaps';

let pair: KeyPair;
let listener: Listener;
beforeAll(async () => {
  pair = await issueServing(await issueAuthority('test'), ['127.0.0.1']);
});
afterEach(() => listener.drain(0));

/** A server whose requests take CPU time. `done`: the requests that it has served. */
async function start() {
  const done: string[] = [];
  const newcomers = new Newcomers();
  const flow = flowControl({ reads: 400, writes: 200, watches: 100, streams: STREAMS }, undefined, newcomers);
  const admit = flow.admitting({ listBytes: () => 0 });
  const handler: Handler = async (exchange) => {
    const { request, response, end } = exchange;
    const url = request.url ?? '';
    const user = { name: String(request.headers['x-user']), uid: '', groups: [], extra: {} };
    const slot = await Promise.resolve(admit(user, requestInfo('GET', url), exchange)).catch(() => NO_SLOT);
    end.after(() => slot.release());
    if (end.over) return;
    // On a busy machine, some requests may have waited for too long.
    if (slot === NO_SLOT && url !== '/livez') response.statusCode = 429;
    for (const until = performance.now() + WORK_MS; url !== '/livez' && performance.now() < until;);
    done.push(url);
    response.end(url);
  };
  listener = await listen({
    address: '127.0.0.1',
    port: 0,
    clientCertificates: false,
    handler,
    newcomers,
    tls: { key: pair.key, cert: pair.certificate },
    streamsPerConnection: STREAMS,
    failed: (error) => {
      throw error;
    },
  });
  return { port: listener.port, done };
}

const TO = { host: '127.0.0.1', rejectUnauthorized: false, agent: false } as const;

/** Sends a request over a new connection. */
async function getOverNew(port: number, path: string, user: string): Promise<string> {
  const asked = httpsRequest({ ...TO, port, path, headers: { 'x-user': user } });
  asked.end();
  const [response] = (await once(asked, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const chunk of response) text += chunk.toString();
  return text;
}

async function getOver(session: ClientHttp2Session, path: string, user: string): Promise<string> {
  const stream = session.request({ ':path': path, 'x-user': user });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

const limitOf = ({ remoteSettings }: ClientHttp2Session): number | undefined =>
  remoteSettings.maxConcurrentStreams;

async function open(port: number): Promise<ClientHttp2Session> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, TO);
  await once(session, 'remoteSettings');
  return session;
}

test('answers probes while a thousand requests wait, then each of those once, and limits the streams of clients', async () => {
  const { port, done } = await start();
  const sessions = await Promise.all(Array.from({ length: 12 }, () => open(port)));
  const lowered = new Set<ClientHttp2Session>();
  const restored = new Promise<void>((resolve) => {
    for (const session of sessions)
      session.on('remoteSettings', () => {
        if (limitOf(session) === STREAMS) lowered.delete(session);
        else lowered.add(session);
        if (lowered.size === 0) resolve();
      });
  });
  const paths = Array.from({ length: 1_000 }, (_one, at) => `${MAPS}/m${at}`);
  const answers = paths.map((path, at) =>
    getOver(sessions[at % sessions.length]!, path, `user-${at % sessions.length}`),
  );
  await answers[0];
  expect(await getOverNew(port, '/livez', 'kubelet')).toBe('/livez');
  expect(done.length).toBeLessThan(paths.length / 2);
  expect(await Promise.all(answers)).toEqual(paths);
  expect(done.toSorted()).toEqual(['/livez', ...paths].toSorted());
  // Afterwards the client gets its former limit back.
  await restored;
  for (const session of sessions) session.destroy();
});

test('serves a new connection before two hundred waiting ones, and each of those once', async () => {
  const { port, done } = await start();
  const paths = Array.from({ length: 190 }, (_one, at) => `${MAPS}/m${at}`);
  const answers = paths.map((path, at) => getOverNew(port, path, `user-${at % 12}`));
  expect(await getOverNew(port, '/livez', 'kubelet')).toBe('/livez');
  expect(done.length).toBeLessThan(paths.length / 2);
  expect(await Promise.all(answers)).toEqual(paths);
  expect(done.toSorted()).toEqual(['/livez', ...paths].toSorted());
});

test('silent and disconnected clients do not block others', async () => {
  const { port } = await start();
  const { connect } = await import('node:net');
  const silent = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  for (const socket of silent.filter((_one, at) => at % 2 === 0)) socket.destroy();
  expect(await getOverNew(port, `${MAPS}/x`, 'jane')).toBe(`${MAPS}/x`);
  for (const socket of silent) socket.destroy();
});
