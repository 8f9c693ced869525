import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { client, eventsOf, type Client } from '../../fixtures/clients/client.js';
import { dashboardSelectors, metricsTold } from '../../fixtures/host/dashboard.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

let server: ServerFixture;
let api: Client;

beforeAll(async () => {
  server = await startServer();
  api = client(server);
});
afterAll(() => server.remove());

/** The value of the line with this prefix. */
async function metric(start: string): Promise<number | undefined> {
  const { text } = await api.send('GET', '/metrics');
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${start} `));
  return line === undefined ? undefined : Number(line.slice(start.length + 1));
}

test('events that went to watchers are counted', async () => {
  await api.send('POST', CONFIGMAPS, { metadata: { name: 'a' } });
  const path = `${CONFIGMAPS}?watch=1&fieldSelector=metadata.name%3Da`;
  await Promise.all([eventsOf(api, path, 1), eventsOf(api, path, 1)]);
  const labels = '{group="",version="v1",resource="configmaps"}';
  expect(await metric(`apiserver_watch_events_total${labels}`)).toBe(2);
  expect(await metric(`apiserver_watch_events_bytes_total${labels}`)).toBeGreaterThan(100);
});

test('a server that traces nothing has no exemplars, and plain text for every scraper', async () => {
  const { headers, text } = await api.send('GET', '/metrics', undefined, {
    accept: 'application/openmetrics-text; version=1.0.0',
  });
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).not.toContain('# EOF');
});

test('the memory of the process is told without the files that it maps', async () => {
  const [own, resident] = [
    await metric('management_apiserver_own_memory_bytes'),
    await metric('process_resident_memory_bytes'),
  ];
  expect(own).toBeGreaterThan(20 * 1024 * 1024);
  expect(own).toBeLessThan(resident ?? 0);
});

test('requests under way are those that have no answer yet', async () => {
  expect(await metric('apiserver_current_inflight_requests{request_kind="readOnly"}')).toBe(1);
  expect(await metric('apiserver_current_inflight_requests{request_kind="mutating"}')).toBe(0);
});

test('outcomes of authentication and authorization are counted', async () => {
  const counts = [
    'authentication_attempts{result="failure"}',
    'authorization_attempts_total{result="denied"}',
  ];
  const before = await Promise.all(counts.map(metric));
  expect((await client(server, 'wrong').send('GET', CONFIGMAPS)).status).toBe(401);
  expect((await client(server, '').send('GET', CONFIGMAPS)).status).toBe(403);
  const after = await Promise.all(counts.map(metric));
  expect(after).toEqual(before.map((count) => (count ?? NaN) + 1));
});

test('values made up by clients become no label', async () => {
  for (const path of ['/api/v1/made-up', '/apis/made-up/v1/x', `${CONFIGMAPS}/a/made-up`, '/made-up'])
    expect((await api.send('GET', path)).status).toBe(404);
  expect((await api.send('GET', '/metrics')).text).not.toContain('made-up');
});

test('the end of the serving certificate is told', async () => {
  const { port } = new URL(server.url);
  const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { valid_to: end } = socket.getPeerCertificate();
  socket.destroy();
  const told = await metric('management_apiserver_serving_certificate_expiration_timestamp_seconds');
  expect(told).toBe(Date.parse(end) / 1000);
});

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

test('the dashboard asks only for metrics that exist', async () => {
  const told = metricsTold((await api.send('GET', '/metrics')).text);
  const missing = dashboardSelectors().filter(({ name }) => !told.has(name));
  // Only an aggregated server has this metric.
  expect(missing.map(({ name }) => name)).toEqual(['management_apiserver_store_up']);
});

test('every alert has a part of the page about it', () => {
  const alerts = [...read('deploy/helm/templates/prometheusrule.yaml').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name,
  );
  const headings = [...read('docs/monitoring.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(alerts.length).toBeGreaterThan(5);
  expect(headings).toEqual(alerts);
});
