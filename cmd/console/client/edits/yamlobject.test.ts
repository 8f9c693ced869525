import { afterEach, expect, test } from '@jest/globals';
import { placeOf, sendChange } from './yamlobject.js';

const PATH = '/apis/management.svc.example/v1/projects/web';
const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

interface Sent {
  readonly url: URL;
  readonly method: string | undefined;
  readonly body: { readonly metadata?: Readonly<Record<string, unknown>> };
}

/** Records requests in order, and answers each with the status and an object. */
function record(status = 200): Sent[] {
  const sent: Sent[] = [];
  globalThis.fetch = (url, init) => {
    const body = JSON.parse(String(init?.body)) as Sent['body'];
    sent.push({ url: new URL(String(url), 'https://x'), method: init?.method, body });
    const answer = status === 200 ? body : { kind: 'Status', code: status, reason: 'Conflict' };
    return Promise.resolve(new Response(JSON.stringify(answer), { status }));
  };
  return sent;
}

const place = placeOf(PATH);
if (place === undefined) throw new Error(`${PATH} is the path of an object`);

test('a change is tried and written on the version that was shown', async () => {
  const sent = record();
  await sendChange(place, '7', { spec: { a: 1 } }, true);
  await sendChange(place, '7', { spec: { a: 1 } }, false);
  for (const { method, url, body } of sent) {
    expect([method, url.pathname]).toEqual(['PATCH', `/console/api${PATH}`]);
    expect(url.searchParams.get('fieldValidation')).toBe('Strict');
    expect(body).toEqual({ spec: { a: 1 }, metadata: { resourceVersion: '7' } });
  }
  expect(sent.map(({ url }) => url.searchParams.get('dryRun'))).toEqual(['All', null]);
});

test.each([['9'], [null], ['']])('a version of %j in the text does not take its place', async (typed) => {
  const sent = record();
  await sendChange(place, '7', { metadata: { labels: { a: 'b' }, resourceVersion: typed } }, false);
  expect(sent[0]?.body).toEqual({ metadata: { labels: { a: 'b' }, resourceVersion: '7' } });
});

test('a version that is not known is no precondition', async () => {
  const sent = record();
  await sendChange(place, undefined, { metadata: { resourceVersion: '9' }, spec: {} }, false);
  expect(sent[0]?.body).toEqual({ metadata: {}, spec: {} });
});

test('a version that is not the newest rejects with the conflict', async () => {
  record(409);
  await expect(sendChange(place, '7', { spec: {} }, false)).rejects.toMatchObject({
    code: 409,
    reason: 'Conflict',
  });
});
