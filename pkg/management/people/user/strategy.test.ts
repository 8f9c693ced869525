import { describe, expect, test } from '@jest/globals';
import type { User } from '../../../../api/management.svc.example/v1/user.js';
import { userStrategy } from './strategy.js';

const user = (spec: object): User => ({
  kind: 'User' as const,
  apiVersion: 'management.svc.example/v1',
  metadata: { name: 'anna' },
  spec,
});

describe('spec.tokenGeneration', () => {
  test.each([
    [undefined, 1, 1, []],
    [1, 2, 2, []],
    [2, 2, 2, []],
    [2, undefined, 2, []],
    [2, 1, 1, ['spec.tokenGeneration']],
    [2, 0, 0, ['spec.tokenGeneration']],
    [undefined, undefined, undefined, []],
  ])('never decreases: from %p to %p', (before, after, kept, findings) => {
    const of = (generation: number | undefined) =>
      user(generation === undefined ? {} : { tokenGeneration: generation });
    const [previous, next] = [of(before), of(after)];
    const context = { requester: { name: 'x', uid: '', groups: [], extra: {} }, subresource: '', now: '' };
    userStrategy.prepareForUpdate?.(next, previous, context);
    expect((next.spec as { tokenGeneration?: number }).tokenGeneration).toBe(kept);
    expect(userStrategy.validateUpdate?.(next, previous).map(({ path }) => path)).toEqual(findings);
  });
});
