import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { issueAuthority, issueServing } from '../../../../pkg/pki/issue.js';
import { bareConnection } from '../../connection/connection.js';
import type { Connection } from '../../connection/serverconnection.js';
import { agentAddress, agentCertificate, agentClock, agentPort } from './agentway.js';

let server: Server;
let authority = '';
let other = '';
/** Added to the time that the stub tells. */
let aheadMs = 0;

beforeAll(async () => {
  const ca = await issueAuthority('test');
  authority = ca.certificate;
  other = (await issueAuthority('other')).certificate;
  const { certificate, key } = await issueServing(ca, ['127.0.0.1']);
  server = createServer({ cert: certificate, key }, (_request, response) => {
    response.setHeader('Date', new Date(Date.now() + aheadMs).toUTCString());
    response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

const agentAt = (url: string, ca = authority): Promise<Connection> =>
  bareConnection(url, { pem: ca, from: 'a test' }, undefined, {});
const own = (host = '127.0.0.1'): string => `https://${host}:${(server.address() as AddressInfo).port}`;

test('finds nothing wrong with a reachable agent', async () => {
  const agent = await agentAt(own());
  for (const look of [agentAddress, agentPort, agentCertificate, agentClock])
    expect(await look(agent)).toMatchObject({ state: 'ok' });
});

test('tells a host without an address', async () => {
  expect(await agentAddress(await agentAt('https://a..b:1'))).toMatchObject({
    state: 'wrong',
    found: expect.stringContaining('has no address') as unknown,
    advice: expect.stringContaining('management.svc.example/direct-endpoint') as unknown,
  });
});

test('tells a port that takes no connection', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const url = `https://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
  await once(closed, 'close');
  expect(await agentPort(await agentAt(url))).toMatchObject({
    state: 'wrong',
    found: expect.stringContaining('ECONNREFUSED') as unknown,
  });
});

test('tells a certificate of another authority, and one of another host', async () => {
  expect(await agentCertificate(await agentAt(own(), other))).toMatchObject({
    state: 'wrong',
    advice: expect.stringContaining('direct-endpoint-ca') as unknown,
  });
  expect(await agentCertificate({ ...(await agentAt(own())), servername: 'other.example' })).toMatchObject({
    state: 'wrong',
    advice: expect.stringContaining('a certificate with the host') as unknown,
  });
});

test('tells a clock that differs', async () => {
  aheadMs = 90_000;
  expect(await agentClock(await agentAt(own()))).toMatchObject({
    state: 'wrong',
    advice: expect.stringContaining('nodes of the cluster') as unknown,
  });
  aheadMs = 0;
});
