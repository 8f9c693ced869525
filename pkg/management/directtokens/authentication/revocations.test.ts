import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DirectClusterEndpointTokenRevocation } from '../../../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import { openDamaged } from '../../../../test/fixtures/stores/damagedstore.js';
import { openCache } from '../../../cache/cache.js';
import { resourceName, resourcePrefix } from '../../../registry/keys.js';
import { revokedTokens } from './revocations.js';

test('a token stays revoked when the record of its revocation is damaged', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'revocations-'));
  const prefix = resourcePrefix(DirectClusterEndpointTokenRevocation);
  const revoked = (name: string, user: string) =>
    ({
      key: prefix + name,
      value: Buffer.from(JSON.stringify({ metadata: { name }, spec: { user } })),
      expect: 'absent',
    }) as const;
  const storage = await openDamaged(
    directory,
    [revoked('one', 'anna'), revoked('two', 'mallory')],
    'mallory',
  );
  const resource = resourceName(DirectClusterEndpointTokenRevocation);
  const cache = await openCache(storage, [
    { resource, prefix, namespaced: false, decode: (value) => Buffer.from(value) },
  ]);
  try {
    expect([...cache.resource(resource).latest().entries('')].map(({ name }) => name)).toEqual(['one']);
    expect(['one', 'two', 'three'].map(revokedTokens(cache))).toEqual([true, true, false]);
  } finally {
    await cache.close();
    await storage.close();
    await rm(directory, { recursive: true });
  }
});
