import { expect, test } from '@jest/globals';
import { fromShared } from '../../../test/fixtures/agents/secretsteps.js';
import type { SecretMetadata } from './labels.js';
import { FROM_UID } from './labels.js';
import { MAX_PER_NAMESPACE, Targets } from './targets.js';

const secret = (namespace: string, name: string, uid = 'u'): SecretMetadata => ({
  ...{ namespace, name, uid, resourceVersion: '1', annotations: {} },
  labels: fromShared(name),
});

test('bounds the Secrets of a namespace without affecting others', () => {
  const targets = new Targets();
  for (let at = 0; at <= MAX_PER_NAMESPACE; at += 1) targets.set(secret('loud', `s${at}`), 'l');
  expect([targets.size, targets.overflows]).toEqual([MAX_PER_NAMESPACE, true]);
  expect(targets.set(secret('quiet', 's'), 'l')).toBe('quiet/s');
  targets.delete('loud/s0');
  expect(targets.set(secret('loud', 'more'), 'l')).toBe('loud/more');
});

test('accepts a Secret with data of a source beyond the bound', () => {
  const targets = new Targets();
  for (let at = 0; at < MAX_PER_NAMESPACE; at += 1) targets.set(secret('loud', `s${at}`), 'l');
  expect(targets.set({ ...secret('loud', 'more'), annotations: { [FROM_UID]: 'u' } }, 'l')).toBe('loud/more');
  expect(targets.set(secret('loud', 'another'), 'l')).toBeUndefined();
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
