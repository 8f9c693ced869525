import { afterEach, describe, expect, test } from '@jest/globals';
import type { Way } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import { AT_ONCE, leadsFrom, NOTHING_REACHED, searchReach, type Reach } from './reach.js';

const owner = { kind: 'Owner', name: 'spec.owner' } as const;
const way = (...steps: Way['steps']): Way => ({ steps: [...steps, owner] });
const none = { groups: [], teams: [], rules: [] } as const;
const ada = { kind: 'User', name: 'ada', groups: ['devs'], teams: ['crew'], rules: ['shop'] } as const;
const crew = { kind: 'Team', name: 'crew', ...none } as const;

test.each([
  [ada, way({ kind: 'User', name: 'ada' }), true],
  [ada, way({ kind: 'User', name: 'bob' }), false],
  [ada, way({ kind: 'User', name: 'ada' }, { kind: 'Team', name: 'crew' }), true],
  [ada, way({ kind: 'Group', name: 'devs' }), true],
  [ada, way({ kind: 'Group', name: 'ops' }), false],
  [ada, way({ kind: 'Group', name: 'system:authenticated' }), true],
  [ada, way({ kind: 'GroupRule', name: 'shop' }), true],
  [ada, way({ kind: 'GroupRule', name: 'ops' }), false],
  [ada, way({ kind: 'GroupRule', name: 'shop' }, { kind: 'Team', name: 'web' }), true],
  [ada, way({ kind: 'Team', name: 'crew' }), true],
  [ada, way({ kind: 'Team', name: 'ops' }), false],
  [ada, way({ kind: 'ServiceAccount', namespace: 'a', name: 'ada' }), false],
  [crew, way({ kind: 'User', name: 'ada' }, { kind: 'Team', name: 'crew' }), true],
  [crew, way({ kind: 'GroupRule', name: 'shop' }, { kind: 'Team', name: 'crew' }), true],
  [crew, way({ kind: 'GroupRule', name: 'shop' }), false],
  [crew, way({ kind: 'TeamKey', name: 'crew' }), true],
  [crew, way({ kind: 'User', name: 'crew' }), false],
  [crew, way({ kind: 'Group', name: 'management:authenticated' }), true],
  [crew, { steps: [] }, false],
])('%j: %j leads there: %s', (subject, given, expected) => {
  expect(leadsFrom(subject, given)).toBe(expected);
});

describe('a search', () => {
  const realFetch = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = realFetch;
  });

  test('asks about some at a time, and goes on with the rest', async () => {
    const read = { steps: [{ kind: 'User', name: 'ada' }, owner] };
    globalThis.fetch = () => Promise.resolve(Response.json({ status: { ways: [read] } }, { status: 201 }));
    const rows = Array.from({ length: AT_ONCE + 2 }, (_, at) => ({
      resource: 'projects',
      cells: {},
      metadata: { name: `p${at}` },
    }));
    let found = NOTHING_REACHED;
    const ask = (of: typeof rows | Reach['rest']): Promise<void> =>
      searchReach({ subject: ada, rows: of, before: found }, new AbortController().signal, (next) => {
        found = next;
      });
    await ask(rows);
    expect([found.asked, found.answered, found.rest.length]).toEqual([AT_ONCE, AT_ONCE, 2]);
    await ask(found.rest);
    expect([found.asked, found.answered, found.rest, found.reached.length]).toEqual([
      AT_ONCE + 2,
      AT_ONCE + 2,
      [],
      AT_ONCE + 2,
    ]);
  });
});
