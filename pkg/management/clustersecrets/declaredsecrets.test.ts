import { expect, test } from '@jest/globals';
import type { Declared } from './declared.js';
import { DeclaredSecrets } from './declaredsecrets.js';
import { PROJECT_SECRET_NAME, SYNCED_FOR } from './labels.js';
import { Targets } from './targets.js';

const declared = (uid: string, of: string): Declared => ({
  namespace: 'n',
  name: 'site',
  mark: `${uid} Opaque`,
  type: 'Opaque',
  labels: { [PROJECT_SECRET_NAME]: of },
  annotations: { [SYNCED_FOR]: `${uid} Opaque` },
});

function declaring(): { readonly secrets: DeclaredSecrets; readonly targets: Targets } {
  const targets = new Targets();
  const secrets = new DeclaredSecrets({
    targets,
    seen: () => undefined,
    enqueue: () => undefined,
    connect: () => Promise.reject(new Error('nothing is asked')),
    mayFill: () => Promise.resolve(true),
  });
  return { secrets, targets };
}

test('removes a Secret that its ProjectSecret no longer declares, though another declares the name', () => {
  const { secrets, targets } = declaring();
  const [first, second] = [declared('u1', 'a'), declared('u2', 'b')];
  secrets.declare(first);
  targets.set({ ...first, uid: 's', resourceVersion: '1' }, PROJECT_SECRET_NAME);
  expect(secrets.withdraw('u1', 'n', undefined)).toBe(true);
  secrets.declare(second);
  expect(secrets.stepOf('n/site', targets.get('n/site'))).toBe('remove');
  expect(secrets.withdraw('u2', 'n', undefined)).toBe(false);
  secrets.declare(first);
  expect(secrets.stepOf('n/site', targets.get('n/site'))).toBeUndefined();
});

test('lists the missing Secrets of one ProjectSecret', () => {
  const { secrets } = declaring();
  secrets.declare(declared('u1', 'a'));
  expect([
    [...secrets.missing(new Set(['a']))],
    [...secrets.missing(new Set(['b']))],
    [...secrets.missing()],
  ]).toEqual([['n/site'], [], ['n/site']]);
});

test('a finalizer on a Secret does not block the deletion of its ProjectSecret', () => {
  const { secrets, targets } = declaring();
  const secret = { ...declared('u1', 'a'), uid: 's', resourceVersion: '1' };
  targets.set(secret, PROJECT_SECRET_NAME);
  expect(secrets.withdraw('u1', 'n', undefined)).toBe(true);
  targets.set({ ...secret, resourceVersion: '2', deleting: true }, PROJECT_SECRET_NAME);
  expect(secrets.withdraw('u1', 'n', undefined)).toBe(false);
  expect(secrets.stepOf('n/site', targets.get('n/site'))).toBeUndefined();
});
