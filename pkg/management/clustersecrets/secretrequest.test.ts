import { expect, test } from '@jest/globals';
import { KEYS, PROJECT_SECRET_NAME, SOURCE_NAME, SOURCE_NAMESPACE, metadataOf } from './labels.js';
import { keysOf, secretRequestOf } from './secretrequest.js';

const asked = (labels: Record<string, string>, annotations: Record<string, string> = {}): object =>
  secretRequestOf(
    { namespace: 'n', name: 's', uid: 'u', resourceVersion: '1', labels, annotations },
    'loft-p-web',
  );
const shared = { [SOURCE_NAME]: 's', [SOURCE_NAMESPACE]: 'default' };

test.each<[Record<string, string>, Record<string, string>, object]>([
  [{}, {}, { asks: 'nothing' }],
  [{ [SOURCE_NAMESPACE]: 'default' }, {}, { asks: 'nothing' }],
  [shared, {}, { asks: 'source', source: { plural: 'sharedsecrets', namespace: 'default', name: 's' } }],
  [
    { [PROJECT_SECRET_NAME]: 'p', [SOURCE_NAMESPACE]: 'kube-system' },
    {},
    { asks: 'source', source: { plural: 'projectsecrets', namespace: 'loft-p-web', name: 'p' } },
  ],
  [shared, { [KEYS]: 'a=b' }, { asks: 'source', keys: new Map([['a', 'b']]) }],
  [{ [SOURCE_NAME]: 's' }, {}, { asks: 'invalid' }],
  [{ ...shared, [PROJECT_SECRET_NAME]: 'p' }, {}, { asks: 'invalid' }],
  [{ [PROJECT_SECRET_NAME]: '' }, {}, { asks: 'invalid' }],
  [shared, { [KEYS]: 'a' }, { asks: 'invalid' }],
])('reads labels %j with annotations %j', (labels, annotations, expected) => {
  expect(asked(labels, annotations)).toMatchObject(expected);
});

test.each(['', 'a', 'a=', '=a', 'a=b=c', 'a=b,a=c', 'a=b,', 'a b=c', '../x=y', 'a=b,'.repeat(1_000_000)])(
  'rejects the key mapping %#',
  (text) => expect(typeof keysOf(text)).toBe('string'),
);

test.each([undefined, null, 5, 'x', [], {}, { metadata: null }, { metadata: { name: 1, namespace: {} } }])(
  'ignores a response that is not an object: %j',
  (answer) => expect(metadataOf(answer)).toBeUndefined(),
);

test('keeps only labels and annotations of this service', () => {
  const metadata = {
    namespace: 'n',
    name: 's',
    uid: 'u',
    resourceVersion: '1',

    labels: { ...shared, app: 'web' },
    annotations: { 'kubectl.kubernetes.io/last-applied': 'x', [KEYS]: 5 },
  };
  expect(metadataOf({ metadata })).toMatchObject({ labels: shared, annotations: {} });
});
