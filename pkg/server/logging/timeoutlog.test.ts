import { expect, test } from '@jest/globals';
import { failure, notFound, serverTimeout } from '../../apimachinery/errors.js';
import type { KindRequest } from '../requestcontext.js';
import { inTime } from '../filters/deadline.js';
import { requestInfo } from '../requestinfo.js';
import { createLog } from './log.js';
import { TimeoutLog } from './timeoutlog.js';

const SECRETS = { group: '', plural: 'secrets' };
const INFO = requestInfo('PUT', '/api/v1/namespaces/a/secrets/hidden?timeout=1ms&token=hidden');

function capture(): { timeouts: TimeoutLog; lines: string[]; clock: { now: number } } {
  const lines: string[] = [];
  const clock = { now: 0 };
  const log = createLog({ verbosity: 0, destination: { write: (line) => void lines.push(line) } });
  return { timeouts: new TimeoutLog(log, () => clock.now), lines, clock };
}
const request = (began: number, impersonated?: string) =>
  ({
    auditId: 'id-1',
    began,
    asked: INFO,
    client: { name: 'anna', uid: '', groups: [], extra: {} },
    impersonated,
  }) as const;

test('logs the request, user and duration if the store times out', async () => {
  const { timeouts, lines, clock } = capture();
  clock.now = 30;
  const call = { info: INFO, store: { definition: SECRETS } } as unknown as KindRequest;
  const error: unknown = await inTime(call, new Promise(() => undefined)).catch((thrown: unknown) => thrown);
  timeouts.failed(error, request(10, 'ben'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    level: 'warn',
    msg: 'request timed out',
    auditId: 'id-1',
    code: 504,
    reason: 'Timeout',
    verb: 'update',
    group: '',
    resource: 'secrets',
    subresource: '',
    user: 'anna',
    impersonated: 'ben',
    ms: 20,
    unlogged: 0,
  });
  expect(lines[0]).not.toContain('hidden');
});

test('logs one line for each reason in ten seconds, with the number of lines left out', () => {
  const { timeouts, lines, clock } = capture();
  for (const [at, error] of [
    [0, serverTimeout(SECRETS, 'update')],
    [1, serverTimeout(SECRETS, 'update')],
    [2, failure('Timeout', 'late', {})],
    [9_999, serverTimeout(SECRETS, 'get')],
    [10_000, serverTimeout(SECRETS, 'get')],
    [30_000, serverTimeout(SECRETS, 'get')],
  ] as const) {
    clock.now = at;
    timeouts.failed(error, request(0));
  }
  const said = lines.map((line) => JSON.parse(line) as { reason: string; unlogged: number });
  expect(said.map(({ reason, unlogged }) => [reason, unlogged])).toEqual([
    ['ServerTimeout', 0],
    ['Timeout', 0],
    ['ServerTimeout', 2],
    ['ServerTimeout', 0],
  ]);
});

test.each([
  ['another failure', notFound(SECRETS, 'hidden')],
  ['an unexpected error', new Error('hidden')],
])('logs nothing for %s', (_what, error) => {
  const { timeouts, lines } = capture();
  timeouts.failed(error, request(0));
  expect(lines).toEqual([]);
});
