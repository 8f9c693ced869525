import { expect, test } from '@jest/globals';
import { KEYS, SOURCE_NAME, metadataOf } from './labels.js';
import { listSecrets } from './secretrequests.js';
import type { ClusterAnswer, Connection } from '../clusters/client/interface.js';
import { secretRequestOf } from './secretrequest.js';

const metadata = { namespace: 'n', name: 's', uid: 'u', resourceVersion: '1' };

test('keeps only the known labels and annotations of a Secret', () => {
  const many = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`management.svc.example/x${at}`, 'x'.repeat(1_000)]),
  );
  const labels = { ...many, [SOURCE_NAME]: 'db' };
  const found = metadataOf({ metadata: { ...metadata, labels, annotations: { ...many, [KEYS]: 'a=b' } } });
  expect(found).toEqual({ ...metadata, labels: { [SOURCE_NAME]: 'db' }, annotations: { [KEYS]: 'a=b' } });
});

test('treats an annotation that is too long as invalid', () => {
  const annotations = { [KEYS]: `a=b,${' '.repeat(70_000)}c=d` };
  const found = metadataOf({ metadata: { ...metadata, labels: { [SOURCE_NAME]: 'db' }, annotations } });
  expect(JSON.stringify(found).length).toBeLessThan(1_000);
  expect(found && secretRequestOf(found, 'p')).toMatchObject({ asks: 'invalid' });
});

test.each([
  ['name', 254],
  ['namespace', 64],
  ['uid', 129],
  ['resourceVersion', 129],
])('rejects an object whose %s has %i characters', (member, length) => {
  expect(metadataOf({ metadata: { ...metadata, [member]: 'x'.repeat(length - 1) } })).toBeDefined();
  expect(metadataOf({ metadata: { ...metadata, [member]: 'x'.repeat(length) } })).toBeUndefined();
});

const answering = (answer: () => ClusterAnswer): Pick<Connection, 'request'> => ({
  request: () => Promise.resolve(answer()),
});

test.each([
  ['of Secrets', Array.from({ length: 64 }, () => ({ metadata }))],
  ['of empty pages', []],
])('aborts an endless list %s', async (_what, items) => {
  const endless = answering(() => ({ status: 200, object: { items, metadata: { continue: 'more' } } }));
  const { signal } = new AbortController();
  await expect(listSecrets(endless, { label: 'l', signal }, () => undefined)).rejects.toThrow(
    'more than 50000',
  );
});

test('aborts a list with its signal', async () => {
  const ended = new AbortController();
  const answer = { status: 200, object: { items: [], metadata: { continue: 'more' } } };
  const endless = answering(() => {
    ended.abort();
    return answer;
  });
  const listing = listSecrets(endless, { label: 'l', signal: ended.signal }, () => undefined);
  await expect(listing).rejects.toThrow('aborted');
});
