import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../api/resource.js';
import { withWantedConditions } from './condition.js';

const FIRST = Date.parse('2026-01-01T00:00:00Z');
const LATER = Date.parse('2026-01-01T00:05:00Z');
const object = (status: object): KubeObject => ({
  kind: 'K',
  apiVersion: 'v1',
  metadata: { name: 'n' },
  status,
});
const ready = { type: 'Ready', status: 'True', reason: 'Fine', message: '' } as const;

test('adds a condition, keeps it while nothing changes, and dates it by its status', () => {
  const other = { type: 'Other', status: 'True', reason: 'R', message: '', lastTransitionTime: 'then' };
  const first = withWantedConditions(object({ phase: 'x', conditions: [other] }), [ready], FIRST);
  const written = { ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' };
  expect(first?.status).toEqual({ phase: 'x', conditions: [other, written] });
  expect(withWantedConditions(first as KubeObject, [ready], LATER)).toBeUndefined();

  const explained = withWantedConditions(first as KubeObject, [{ ...ready, message: 'm' }], LATER);
  expect(explained?.status).toEqual({ phase: 'x', conditions: [other, { ...written, message: 'm' }] });

  const failed = { ...ready, status: 'False', reason: 'Broken' } as const;
  const broken = withWantedConditions(first as KubeObject, [failed], LATER);
  expect(broken?.status).toEqual({
    phase: 'x',
    conditions: [other, { ...failed, lastTransitionTime: '2026-01-01T00:05:00Z' }],
  });
});

test('truncates a message to valid Unicode, the same way each time', () => {
  const message = `${'x'.repeat(1_022)}\ud83d${'y'.repeat(100_000)}`;
  const first = withWantedConditions(object({}), [{ ...ready, message }], FIRST);
  expect(first?.status).toMatchObject({ conditions: [{ message: `${'x'.repeat(1_022)}\ufffdy` }] });
  expect(withWantedConditions(first as KubeObject, [{ ...ready, message }], LATER)).toBeUndefined();
});
