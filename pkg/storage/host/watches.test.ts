import { expect, test } from '@jest/globals';
import { Role } from '../../../api/rbac.authorization.k8s.io/v1/role.js';
import { HostUnreachable, type HostClient, type HostEvent } from '../../hostclient/interface.js';
import type { WatchBatch } from '../interface.js';
import { hostStorage } from './storages.js';

/** A host whose watches send these events, one watch after the other; an Error ends the watch. */
function hostOf(watches: readonly (readonly (HostEvent | Error)[])[], asked: string[] = []): HostClient {
  return {
    send: () => Promise.reject(new HostUnreachable('away', false)),
    async *watch(path, _signal, begun) {
      asked.push(path);
      if (watches[asked.length - 1] !== undefined) begun?.();
      for (const event of watches[asked.length - 1] ?? [new Error('no more')]) {
        if (event instanceof Error) throw event;
        yield event;
      }
    },
    close: () => undefined,
  };
}

const role = (revision: number): object => ({
  kind: 'Role',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: { namespace: 'a', name: 'b', resourceVersion: String(revision) },
});

async function read(
  host: HostClient,
  standing: () => void = () => undefined,
): Promise<{ batches: WatchBatch[]; error: unknown }> {
  const batches: WatchBatch[] = [];
  try {
    for await (const batch of hostStorage(host, Role).watch({ start: '', end: '' }, { after: 5, standing }))
      batches.push(batch);
    return { batches, error: undefined };
  } catch (error) {
    return { batches, error };
  }
}

test('resumes a watch that the host ended', async () => {
  const asked: string[] = [];
  const { batches } = await read(
    hostOf(
      [
        [
          { type: 'ADDED', object: role(6) },
          { type: 'BOOKMARK', object: role(9) },
        ],
        [{ type: 'DELETED', object: role(12) }],
      ],
      asked,
    ),
  );
  const key = 'registry/rbac.authorization.k8s.io/roles/a/b';
  expect(batches).toEqual([
    { events: [{ key, revision: 6, value: expect.any(Buffer), commitEnd: true }], revision: 6 },
    { events: [], revision: 9 },
    { events: [{ key, revision: 12, value: undefined, commitEnd: true }], revision: 12 },
  ]);
  const revisions = asked.map((path) => new URL(path, 'https://host').searchParams.get('resourceVersion'));
  expect(revisions).toEqual(['5', '9', '12']);
});

test.each([
  ['reports its start once, even if it resumes', [[], []], 1],
  ['does not report a start if the host refuses it', [], 0],
])('a watch %s', async (_, watches, times) => {
  let stood = 0;
  await read(hostOf(watches), () => (stood += 1));
  expect(stood).toBe(times);
});

test.each([
  ['410', { type: 'ERROR', object: { code: 410 } } as const, { code: 'compacted', revision: 5 }],
  ['403', { type: 'ERROR', object: { code: 403, message: 'no' } } as const, { code: 'unavailable' }],
  ['500', { type: 'ERROR', object: { code: 500 } } as const, { code: 'unavailable' }],
  ['a broken line', new HostUnreachable('away', true), { code: 'unavailable' }],
])('fails on %s', async (_, event, failure) => {
  expect(await read(hostOf([[event]]))).toMatchObject({ batches: [], error: { failure } });
});
