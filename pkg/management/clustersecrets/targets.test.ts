import { expect, test } from '@jest/globals';
import { fromShared } from '../../../test/fixtures/agents/secretsteps.js';
import { FROM_UID, KEYS, type SecretMetadata } from './labels.js';
import { MAX_BYTES, MAX_PER_NAMESPACE, Targets } from './targets.js';

const secret = (namespace: string, name: string, uid = 'u'): SecretMetadata => ({
  namespace,
  name,
  uid,
  resourceVersion: '1',
  annotations: {},
  labels: fromShared(name),
});
const claiming = (namespace: string, name: string): SecretMetadata => ({
  ...secret(namespace, name),
  annotations: { [FROM_UID]: 'u' },
});
const large = (namespace: string, name: string): SecretMetadata => ({
  ...secret(namespace, name),
  annotations: { [KEYS]: 'x'.repeat(64 * 1024) },
});

test('bounds the Secrets of a namespace without affecting others', () => {
  const targets = new Targets();
  for (let at = 0; at <= MAX_PER_NAMESPACE; at += 1) targets.set(secret('loud', `s${at}`), 'l');
  expect([targets.size, targets.overflows]).toEqual([MAX_PER_NAMESPACE, true]);
  expect(targets.set(secret('quiet', 's'), 'l')).toBe('quiet/s');
  expect(['loud', 'quiet'].map((one) => targets.isTruncated(one))).toEqual([true, false]);
  targets.delete('loud/s0');
  expect(targets.set(secret('loud', 'more'), 'l')).toBe('loud/more');
});

test('bounds Secrets that say they were filled as any others', () => {
  const targets = new Targets();
  for (let at = 0; at < 10 * MAX_PER_NAMESPACE; at += 1) targets.set(claiming('loud', `s${at}`), 'l');
  expect(targets.size).toBe(MAX_PER_NAMESPACE);
});

test('prefers a Secret that says it was filled to others of its namespace, but not to filled ones', () => {
  const targets = new Targets();
  for (let at = 0; at < MAX_PER_NAMESPACE; at += 1) targets.set(secret('loud', `s${at}`), 'l');
  expect(targets.set(claiming('loud', 'before'), 'l')).toBe('loud/before');
  expect(targets.size).toBe(MAX_PER_NAMESPACE);
  expect(targets.set(secret('loud', 'another'), 'l')).toBeUndefined();
  for (const [, target] of targets.entries()) target.filled = true;
  expect(targets.set(claiming('loud', 'later'), 'l')).toBeUndefined();
});

test('bounds the bytes of all Secrets, and counts every one', () => {
  const targets = new Targets();
  for (let at = 0; at < 500; at += 1)
    for (let of = 0; of < 100; of += 1) targets.set(large(`n${at}`, `s${of}`), 'l');
  expect(targets.bytes).toBeLessThanOrEqual(MAX_BYTES);
  expect(targets.bytes).toBeGreaterThan(MAX_BYTES - 200_000);
  for (const key of [...targets.keys()]) targets.delete(key);
  expect([targets.bytes, targets.size]).toEqual([0, 0]);
});

test('takes room from the namespace with the most bytes, but not from filled Secrets', () => {
  const targets = new Targets();
  for (let at = 0; at < MAX_PER_NAMESPACE; at += 1) targets.set(large('loud', `s${at}`), 'l');
  const loud = targets.size;
  targets.get('loud/s0')!.filled = true;
  for (let at = 0; at < 150; at += 1)
    expect(targets.set(secret('quiet', `s${at}`), 'l')).toBe(`quiet/s${at}`);
  expect(targets.keysIn('quiet')).toHaveLength(150);
  expect(targets.keysIn('loud').length).toBeLessThan(loud);
  expect(targets.get('loud/s0')).toBeDefined();
  for (const [, target] of targets.entries()) target.filled = true;
  expect(targets.set(large('another', 's'), 'l')).toBeUndefined();
});

test('forgets a Secret that grows beyond the budget, unless this server has filled it', () => {
  const targets = new Targets();
  for (let at = 0; targets.bytes < MAX_BYTES - 100_000; at += 1) targets.set(large(`n${at}`, 's'), 'l');
  for (const [, target] of targets.entries()) target.filled = true;
  for (const name of ['own', 'filled']) targets.set(secret('n', name), 'l');
  targets.get('n/filled')!.filled = true;
  expect(['own', 'filled'].map((name) => targets.set(large('n', name), 'l'))).toEqual([undefined, undefined]);
  expect(targets.keysIn('n')).toEqual(['n/filled']);
  expect(targets.bytes).toBeLessThanOrEqual(MAX_BYTES);
});

test('finds the Secrets of a source, and distinguishes Secrets by uid', () => {
  const targets = new Targets();
  for (const namespace of ['a', 'b']) targets.set(secret(namespace, 's'), 'l');
  expect([...targets.of(new Set(['sharedsecrets/default/s']))]).toEqual(['a/s', 'b/s']);
  expect([...targets.of(new Set(['sharedsecrets/other/s', 'projectsecrets/default/s']))]).toEqual([]);
  Object.assign(targets.get('a/s') ?? {}, { filled: true });
  targets.set(secret('a', 's', 'another'), 'l');
  expect(targets.get('a/s')?.filled).toBe(false);
});
