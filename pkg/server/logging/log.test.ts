import { describe, expect, test } from '@jest/globals';
import type { Observation } from '../dependencies.js';
import { createLog, loggableUrl } from './log.js';
import { createActivity } from '../activity.js';
import { createMetrics } from '../metrics/metrics.js';
import { createObserver } from '../observer.js';
import { requestInfo } from '../requestinfo.js';

function capture(verbosity: number): { log: ReturnType<typeof createLog>; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ verbosity, destination: { write: (line) => void lines.push(line) } }), lines };
}

describe('log', () => {
  test.each([
    ['/a', '', '/a'],
    ['/a', 'limit=5&watch=1', '/a?limit=5&watch=1'],
    ['/a', 'token=abc&x=1', '/a?token=[redacted]&x=1'],
    ['/a', 'access_token=abc', '/a?access_token=[redacted]'],
    ['/a', 'to%6Ben=abc&%zz=1', '/a?to%6Ben=[redacted]&%zz=1'],
    [
      '/a',
      'client_secret=a&password=b&code=c&state=d',
      '/a?client_secret=[redacted]&password=[redacted]&code=[redacted]&state=[redacted]',
    ],
  ])('%s?%s', (path, query, expected) => expect(loggableUrl(path, query)).toBe(expected));

  test('blanks members that carry secrets', () => {
    const { log, lines } = capture(0);
    log.info(
      { headers: { authorization: 'Bearer hush' }, token: 'hush', deep: { er: { password: 'hush' } } },
      'oops',
    );
    expect(lines.join('')).toContain('oops');
    expect(lines.join('')).not.toContain('hush');
  });
});

describe('observer', () => {
  const CLIENT = {
    headers: { 'user-agent': 'kubectl/v1.36' },
    httpVersion: '2.0',
    socket: { remoteAddress: '10.0.0.1' },
  } as unknown as Observation['request'];
  const observation = (method: string, url: string): Observation => ({
    info: requestInfo(method, url),
    applies: false,
    served: true,
    code: 200,
    milliseconds: 12,
    longRunning: false,
    stages: () => ({}),
    user: 'ann',
    auditId: 'id-1',
    impersonated: undefined,
    request: CLIENT,
  });

  test.each([
    [2, {}],
    [4, { address: '10.0.0.1', http: '2.0', userAgent: 'kubectl/v1.36' }],
  ])('at verbosity %d logs the client %j', (verbosity, client) => {
    const { log, lines } = capture(verbosity);
    createObserver({ metrics: { recordRequest: () => undefined }, log, verbosity })(observation('GET', '/a'));
    const { address, http, userAgent } = JSON.parse(lines[0] as string) as Record<string, unknown>;
    expect({ address, http, userAgent }).toEqual(client);
  });

  test.each([
    [false, 'PATCH'],
    [true, 'APPLY'],
  ])('counts a patch that applies: %j as %s', (applies, verb) => {
    const verbs: string[] = [];
    const recordRequest = (record: { readonly verb: string }): void => {
      verbs.push(record.verb);
    };
    const observe = createObserver({ metrics: { recordRequest }, log: capture(0).log, verbosity: 0 });
    observe({ ...observation('PATCH', '/api/v1/namespaces/a/configmaps/b'), applies });
    expect(verbs).toEqual([verb]);
  });

  test.each([
    [0, 0],
    [1, 0],
    [2, 1],
  ])('at verbosity %d writes %d lines', (verbosity, count) => {
    const { log, lines } = capture(verbosity);
    createObserver({ metrics: { recordRequest: () => undefined }, log, verbosity })(
      observation('GET', '/a?token=x'),
    );
    expect(lines).toHaveLength(count);
    if (count > 0) {
      const line = JSON.parse(lines[0] as string) as object;
      expect(line).toMatchObject({
        auditId: 'id-1',
        verb: 'get',
        url: '/a?token=[redacted]',
        user: 'ann',
        code: 200,
        ms: 12,
      });
    }
  });

  test.each([
    [
      'GET',
      '/api/v1/namespaces/a/configmaps/b',
      'verb="GET",group="",version="v1",resource="configmaps",subresource="",scope="resource"',
    ],
    [
      'GET',
      '/apis/g/v1/namespaces/a/things',
      'verb="LIST",group="g",version="v1",resource="things",subresource="",scope="namespace"',
    ],
    [
      'GET',
      '/apis/g/v1/things?watch=1',
      'verb="WATCH",group="g",version="v1",resource="things",subresource="",scope="cluster"',
    ],
    [
      'PUT',
      '/apis/g/v1/things/x/status',
      'verb="PUT",group="g",version="v1",resource="things",subresource="status",scope="resource"',
    ],
    ['GET', '/healthz', 'verb="GET",group="",version="",resource="",subresource="",scope=""'],
    ['BREW', '/healthz', 'verb="other",group="",version="",resource="",subresource="",scope=""'],
  ])('counts %s %s', async (method, url, labels) => {
    const metrics = createMetrics({ watches: { size: 0, sent: () => [] }, activity: createActivity() });
    createObserver({ metrics, log: capture(0).log, verbosity: 0 })(observation(method, url));
    const { text } = await metrics.read();
    expect(text).toContain(
      `apiserver_request_total{${labels},component="apiserver",dry_run="",code="200"} 1`,
    );
  });

  test('does not use unknown paths as labels', async () => {
    const metrics = createMetrics({ watches: { size: 0, sent: () => [] }, activity: createActivity() });
    const made = { ...observation('GET', '/apis/g/v1/made-up/x'), served: false, code: 404 };
    createObserver({ metrics, log: capture(0).log, verbosity: 0 })(made);
    const { text } = await metrics.read();
    expect(text).toContain('apiserver_request_total{verb="GET",group="",');
    expect(text).not.toContain('made-up');
  });
});
