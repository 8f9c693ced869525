/** Traces of requests, as the running server sends them to a collector. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, client, eventsOf } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import {
  type CollectedSpan,
  type OtlpCollector,
  startCollector,
} from '../../fixtures/stubs/otlpcollector.js';
import { ADMIN_TOKEN, startServer, VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const PLANTED = 'cGxhbnRlZC12YWx1ZQ==';
/** Spans are exported without delay. */
const env = { OTEL_BSP_SCHEDULE_DELAY: '20' };
const ROUTE = '/api/v1/namespaces/{:namespace}/secrets';

let directory: string;
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'tracing-'))));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function configured(endpoint: string, samplingRatePerMillion: number): string {
  const file = join(directory, `${samplingRatePerMillion}.yaml`);
  const document = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'TracingConfiguration' };
  writeFileSync(file, JSON.stringify({ ...document, endpoint, samplingRatePerMillion }));
  return `--tracing-config-file=${file}`;
}

/** A traceparent with a new trace id, which ends with a suffix that identifies the test. */
const parentOf = (trace: string, flags = '01'): Record<string, string> => ({
  traceparent: `00-${trace}-00f067aa0ba902b7-${flags}`,
});
const traceId = (at: number): string => at.toString(16).padStart(32, 'a');
const at =
  (path: string) =>
  ({ attributes }: CollectedSpan): boolean =>
    attributes['url.path'] === path;

describe('every request is traced', () => {
  let collector: OtlpCollector;
  let on: EngineServer;
  let admin: Client;
  let viewer: Client;
  beforeAll(async () => {
    collector = await startCollector();
    on = await startEmbedded({ env, flags: [configured(collector.endpoint, 1_000_000)] });
    admin = client(on.server, ADMIN_TOKEN);
    viewer = client(on.server, VIEWER_TOKEN);
  });
  afterAll(async () => {
    await on?.remove();
    await collector?.stop();
  });

  test('a write has spans of its stages, admission and commit, all below that of the request', async () => {
    const body = { metadata: { name: 'traced' }, data: { value: PLANTED } };
    expect((await admin.send('POST', `${SECRETS}?fieldManager=test`, body)).status).toBe(201);
    const spans = await collector.traceOf(({ name }) => name === `POST ${ROUTE}`);
    const [request, ...others] = spans.filter(({ kind }) => kind === 2);
    expect(others).toEqual([]);
    const parts = spans.filter((span) => span !== request);
    const names = ['authentication', 'flowcontrol', 'authorization', 'mutatingadmission'];
    expect(new Set(parts.map(({ name }) => name))).toEqual(
      // On etcd, a write may also wait until the cache of this server is current.
      new Set([
        ...names,
        'validatingadmission',
        'commit',
        ...parts.map(({ name }) => name).filter((name) => name === 'freshness'),
      ]),
    );
    for (const { parent, began, ended, name } of parts) {
      expect([name, parent]).toEqual([name, request?.spanId]);
      expect([name, began >= request!.began && began <= ended && ended <= request!.ended]).toEqual([
        name,
        true,
      ]);
    }
    expect(request).toMatchObject({ parent: '', links: [], status: 0 });
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': '201',
      'http.route': ROUTE,
      'url.path': SECRETS,
      'url.query': 'fieldManager=test',
    });
    expect(request?.resource).toMatchObject({ 'service.name': 'management-apiserver' });
    expect(collector.requests[0]).toBe('POST /v1/traces application/x-protobuf');
  });

  test('the trace of a watch ends when the watch has begun', async () => {
    await eventsOf(admin, `${SECRETS}?watch=true&limit=7`, 1);
    const spans = await collector.traceOf(
      ({ attributes }) => attributes['url.query'] === 'watch=true&limit=7',
    );
    expect(spans.map(({ name }) => name)).toContain('watch');
  });

  test('no span has tokens, bodies or secret parameters', async () => {
    const path = '/api/v1/namespaces/default/configmaps/none';
    await admin.send('GET', `${path}?token=planted-token&password=planted-password`);
    const [request] = (await collector.traceOf(at(path))).filter(({ kind }) => kind === 2);
    expect(request?.attributes['url.query']).toBe('token=[redacted]&password=[redacted]');
    const sent = collector.bytes().toString('latin1');
    expect(sent).toContain('/configmaps/none');
    for (const secret of [PLANTED, 'planted-value', 'planted-token', 'planted-password', ADMIN_TOKEN])
      expect(sent).not.toContain(secret);
  });

  test('a trace of an administrator is continued', async () => {
    const path = '/api/v1/namespaces/default/configmaps/continued';
    await admin.send('GET', path, undefined, parentOf(traceId(1)));
    const [request] = (await collector.traceOf(at(path))).filter(({ kind }) => kind === 2);
    expect(request).toMatchObject({ traceId: traceId(1), parent: '00f067aa0ba902b7', links: [] });
  });

  test('the trace of another user is linked, and not continued', async () => {
    const path = '/api/v1/namespaces/default/configmaps/linked';
    await viewer.send('GET', path, undefined, parentOf(traceId(2)));
    const [request] = (await collector.traceOf(at(path))).filter(({ kind }) => kind === 2);
    expect(request).toMatchObject({ parent: '', links: [traceId(2)] });
    expect(request?.traceId).not.toBe(traceId(2));
  });

  test('a request whose credentials are wrong ends in its authentication', async () => {
    const path = '/api/v1/namespaces/default/configmaps/unauthenticated';
    await client(on.server, 'wrong').send('GET', path, undefined, parentOf(traceId(3)));
    const spans = await collector.traceOf(at(path));
    const request = spans.find(({ kind }) => kind === 2);
    expect(request?.attributes['http.response.status_code']).toBe('401');
    expect(request?.links).toEqual([traceId(3)]);
    expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['authentication']));
  });

  test.each([
    ['no trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['no parent', `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`],
    ['two', `00-${'a'.repeat(32)}-00f067aa0ba902b7-01, 00-${'b'.repeat(32)}-00f067aa0ba902b7-01`],
    ['letters', 'traceparent'],
    ['too long', 'a'.repeat(8000)],
  ])('a traceparent with %s is ignored', async (name, traceparent) => {
    const path = `/api/v1/namespaces/default/configmaps/bad-${name.replace(' ', '-')}`;
    expect((await admin.send('GET', path, undefined, { traceparent, tracestate: ',=,' })).status).toBe(404);
    const [request] = (await collector.traceOf(at(path))).filter(({ kind }) => kind === 2);
    expect(request).toMatchObject({ parent: '', links: [] });
  });

  test('a scraper that asks for OpenMetrics gets the trace of a request beside its duration', async () => {
    const path = '/api/v1/namespaces/default/configmaps/exemplar';
    await admin.send('GET', path, undefined, parentOf(traceId(4)));
    const read = async (accept: string): Promise<string> =>
      (await admin.send('GET', '/metrics', undefined, { accept })).text;
    const text = await read('application/openmetrics-text; version=1.0.0, text/plain; q=0.5');
    expect(text).toMatch(/\n# EOF\n$/);
    const exemplar = `# {trace_id="${traceId(4)}"}`;
    const [line = ''] = text.split('\n').filter((one) => one.includes(exemplar));
    expect(line).toMatch(/^apiserver_request_duration_seconds_bucket\{.*resource="configmaps".*\} \d+ # /);
    expect((await collector.traceOf(at(path))).map((span) => span.traceId)).toContain(traceId(4));
    for (const accept of ['', 'text/plain', '*/*']) expect(await read(accept)).not.toContain('trace_id');
  });

  test('spans are counted', async () => {
    const text = await eventually('exported spans', async () => {
      const { text: metrics } = await admin.send('GET', '/metrics');
      return /^management_apiserver_tracing_exported_spans_total [1-9]/m.test(metrics) && metrics;
    });
    expect(text).toMatch(/^management_apiserver_tracing_dropped_spans_total\{reason="queue_full"\} 0$/m);
  });
});

test('only administrators and monitoring turn sampling on', async () => {
  const collector = await startCollector();
  const server = await startServer({ env, flags: [configured(collector.endpoint, 0)] });
  try {
    const viewer = client(server, VIEWER_TOKEN);
    for (let one = 0; one < 20; one++) await viewer.send('GET', SECRETS, undefined, parentOf(traceId(one)));
    await client(server, '').send('GET', '/livez', undefined, parentOf(traceId(21)));
    const admin = client(server, ADMIN_TOKEN);
    await admin.send('GET', SECRETS);
    await admin.send('GET', SECRETS, undefined, parentOf(traceId(22), '00'));
    await admin.send('GET', SECRETS, undefined, parentOf(traceId(23)));
    await collector.traceOf(() => true);
    expect([...new Set(collector.spans.map((span) => span.traceId))]).toEqual([traceId(23)]);
  } finally {
    await server.remove();
    await collector.stop();
  }
});

test('without its collector the server answers, counts what it drops, and stops', async () => {
  const collector = await startCollector();
  const { endpoint } = collector;
  await collector.stop();
  const server = await startServer({ env, flags: [configured(endpoint, 1_000_000)] });
  try {
    const admin = client(server, ADMIN_TOKEN);
    await eventually('dropped spans', async () => {
      const { status, text } = await admin.send('GET', '/metrics');
      expect(status).toBe(200);
      return /^management_apiserver_tracing_dropped_spans_total\{reason="export_failed"\} [1-9]/m.test(text);
    });
    expect(server.log()).toContain('spans cannot be exported');
    await server.stop();
  } finally {
    await server.remove();
  }
});
