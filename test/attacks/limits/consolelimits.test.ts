/** Logins to the console are limited, and strangers cannot use up the limit of others. */
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessKeys, KEYS, type AccessKeys, type Key } from '../../fixtures/clients/accesskeys.js';
import { client } from '../../fixtures/clients/client.js';
import {
  consoleClient,
  type ConsoleClient,
  type ConsoleSession,
} from '../../fixtures/console/consoleclient.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { eventually } from '../../fixtures/wait.js';

const MAX_SESSIONS = 50;
/** The limit for all unauthenticated clients together: a twentieth of 1,024. */
const MAX_BODIES = 52;

describe('logins to the console', () => {
  let on: EngineServer;
  let browser: ConsoleClient;
  let keys: AccessKeys;

  beforeAll(async () => {
    on = await startEmbedded();
    browser = consoleClient(on.server);
    keys = accessKeys(on.server);
    await keys.createUser('ada');
  });
  afterAll(() => on.remove());

  const isOpen = async (session: ConsoleSession): Promise<boolean> =>
    (await browser.as(session)('GET', '/console/api/version')).status === 200;
  const sessions = async (): Promise<number> => {
    const { text } = await client(on.server).send('GET', KEYS);
    return (JSON.parse(text) as { items: Key[] }).items.filter(({ metadata }) =>
      metadata.name.startsWith('console-'),
    ).length;
  };
  const keyOf = async (name: string): Promise<string> =>
    (await keys.createKey(name, { user: 'ada' })).spec.key as string;

  test('a user has a limited number of sessions, and one more ends the oldest of its key', async () => {
    const [often, once] = [await keyOf('often'), await keyOf('once')];
    const other = await browser.logIn(once);
    const begun: ConsoleSession[] = [];
    for (let n = 0; n < MAX_SESSIONS; n++) begun.push(await browser.logIn(often));
    expect(await sessions()).toBe(MAX_SESSIONS);
    for (let n = 0; n < 5; n++) begun.push(await browser.logIn(often));
    expect(await sessions()).toBe(MAX_SESSIONS);
    expect(await isOpen(begun.at(-1) as ConsoleSession)).toBe(true);
    expect((await Promise.all(begun.map(isOpen))).filter((open) => !open)).toHaveLength(6);
    // An attacker with one of a user's keys cannot end sessions of the user's other keys.
    expect(await isOpen(other)).toBe(true);
  });

  test('a user who has too many keys is told so', async () => {
    await keys.createUser('many');
    let last = '';
    for (let n = 0; n < 100; n++)
      last = (await keys.createKey(`many-${n}`, { user: 'many' })).spec.key as string;
    const { status, text } = await browser.send('POST', '/console/session', { body: { accessKey: last } });
    expect([status, JSON.parse(text)]).toEqual([
      403,
      expect.objectContaining({ message: expect.stringContaining('too many access keys') }),
    ]);
  });

  test('endless bodies of one address do not keep others from logging in', async () => {
    const key = await keyOf('meanwhile');
    const slow: TLSSocket[] = [];
    for (let n = 0; n < MAX_BODIES + 8; n++) slow.push(await trickle(on.server.port, '127.0.0.2'));
    await eventually('some of them are refused', async () => {
      await Promise.resolve();
      return slow.some(({ bytesRead }) => bytesRead > 0);
    });
    expect((await browser.send('POST', '/console/session', { body: { accessKey: key } })).status).toBe(201);
    for (const socket of slow) socket.destroy();
  });
});

/** Sends the beginning of a login from a local address. */
async function trickle(port: number, localAddress: string): Promise<TLSSocket> {
  const plain = connectTcp({ port, host: '127.0.0.1', localAddress });
  const socket = connect({ socket: plain, rejectUnauthorized: false });
  socket.on('error', () => undefined).resume();
  await once(socket, 'secureConnect');
  const head = ['host: x', 'content-type: application/json', 'content-length: 1000', '', '{'];
  socket.write(['POST /console/session HTTP/1.1', ...head].join('\r\n'));
  return socket;
}
