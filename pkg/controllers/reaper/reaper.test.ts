/** Objects are deleted when they expire, even if the clock jumps. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { controllerClient } from '../client/registryclient.js';
import { DirectClusterEndpointToken } from '../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { DirectClusterEndpointTokenRevocation } from '../../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { kind as events } from '../../registry/core/event/kind.js';
import { createNamespace } from '../../registry/core/namespace/bootstrap.js';
import { kind as tokens } from '../../management/directtokens/kind.js';
import { kind as revocations } from '../../management/directtokens/revocation/kind.js';
import { kind as namespaces } from '../../registry/core/namespace/kind.js';
import { openRegistry, type Registry } from '../../registry/registry.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { resourceOf, type Client, type Reconciler, type ResourceClient } from '../interface.js';
import { TOKEN_EXPIRIES } from '../../management/directtokens/expiry.js';
import { eventExpiry } from './expiry.js';
import { startReaper, type ReaperContext } from './reaper.js';
import { Event } from '../../../api/core/v1/event.js';

const HOUR = 3_600_000;
const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };

let directory: string;
let storage: Storage;
let registry: Registry;
let client: Client;
let secrets: ResourceClient;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reaper-'));
  storage = await openEmbedded({ directory });
  registry = await openRegistry(
    storage,
    [namespaces, events, tokens, revocations, { definition: SharedSecret }],
    () => everything,
  );
  client = controllerClient(registry.stores, 'reaper');
  secrets = resourceOf(client, SharedSecret);
  await createNamespace(registry.stores, 'default');
});
afterEach(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

interface RunningReaper {
  /** Sets the clock to this time, and runs due timers. Returns the number of remaining secrets. */
  at(time: number): Promise<number>;
}

function runReaper(): RunningReaper {
  let time = Date.now();
  let tick = (): void => undefined;
  const keys = new Set<string>();
  const context: ReaperContext = {
    client,
    expiries: [eventExpiry(HOUR), ...TOKEN_EXPIRIES],
    enqueue: (key) => void keys.add(key),
    follow: (resource, follower) => void resource.follow(follower),
    now: () => time,
    every: (_, work) => void (tick = work),
  };
  const reaper: Reconciler = startReaper(context);
  const work = async (): Promise<void> => {
    for (const key of keys) {
      keys.delete(key);
      await reaper.reconcile(key);
    }
    await client.current();
  };
  return {
    async at(now) {
      time = now;
      await client.current();
      await work();
      tick();
      await work();
      return secrets.count('default');
    },
  };
}

async function createSecret(name: string, finalizers: string[] = []): Promise<KubeObject> {
  const { group, version, kind } = SharedSecret;
  await secrets.create('default', {
    kind,
    apiVersion: `${group}/${version}`,
    metadata: { name, finalizers },
  });
  return (await secrets.live({ namespace: 'default', name })) as KubeObject;
}

/** Starts a deletion with a grace period. Returns the time at which it ends. */
async function deleteIn(name: string, gracePeriodSeconds: number): Promise<number> {
  await secrets.delete({ namespace: 'default', name }, { gracePeriodSeconds });
  const { metadata } = (await secrets.live({ namespace: 'default', name })) as KubeObject;
  return Date.parse(metadata.deletionTimestamp as string);
}

test('deletes objects when their grace period ends, including those deleted before it ran', async () => {
  await createSecret('a');
  const early = await deleteIn('a', 600);
  const reaper = runReaper();
  await createSecret('b');
  const late = await deleteIn('b', 1200);
  expect(await reaper.at(early - 1)).toBe(2);
  expect(await reaper.at(early)).toBe(1);
  expect(await reaper.at(late - 1)).toBe(1);
  expect(await reaper.at(late)).toBe(0);
});

test('deletes all objects that are due after the clock jumped forward', async () => {
  const reaper = runReaper();
  for (const name of ['a', 'b', 'c']) await createSecret(name);
  const times = [await deleteIn('a', 60), await deleteIn('b', 3600), await deleteIn('c', 86_400)];
  expect(await reaper.at((times[0] as number) - 1)).toBe(3);
  expect(await reaper.at((times[1] as number) + HOUR)).toBe(1);
  expect(await reaper.at(times[2] as number)).toBe(0);
});

test('waits after the clock jumped back', async () => {
  const reaper = runReaper();
  await createSecret('a');
  const time = await deleteIn('a', 600);
  expect(await reaper.at(time - 1)).toBe(1);
  expect(await reaper.at(time - 48 * HOUR)).toBe(1);
  expect(await reaper.at(time - HOUR)).toBe(1);
  expect(await reaper.at(time)).toBe(0);
});

test('keeps keys in the queue after the clock was set back', async () => {
  const reaper = runReaper();
  await createSecret('a', ['example.com/hold']);
  const time = await deleteIn('a', 600);
  // The finalizer delays the deletion. It is removed after the clock was set back.
  expect(await reaper.at(time + HOUR)).toBe(1);
  const release = (copy: KubeObject): KubeObject => {
    const { finalizers: _, ...metadata } = copy.metadata;
    return { ...copy, metadata };
  };
  await secrets.update({ namespace: 'default', name: 'a' }, release);
  expect(await reaper.at(time - 1)).toBe(1);
  expect(await reaper.at(time)).toBe(0);
});

test('applies a shortened grace period at once', async () => {
  const reaper = runReaper();
  await createSecret('a');
  const long = await deleteIn('a', 3600);
  expect(await reaper.at(long - HOUR / 2)).toBe(1);
  const short = await deleteIn('a', 600);
  expect(short).toBeLessThan(long);
  expect(await reaper.at(short)).toBe(0);
});

test('deletes an event an hour after its last write, whatever the clock did', async () => {
  const all = resourceOf(client, Event);
  const involvedObject = { kind: 'Namespace', name: 'default', namespace: 'default' };
  await all.create('default', { kind: 'Event', apiVersion: 'v1', metadata: { name: 'e' }, involvedObject });
  const { metadata } = (await all.live({ namespace: 'default', name: 'e' })) as KubeObject;
  const written = Date.parse(metadata.creationTimestamp as string);
  const reaper = runReaper();
  await reaper.at(written - 24 * HOUR);
  expect(all.count('default')).toBe(1);
  await reaper.at(written + HOUR - 1);
  expect(all.count('default')).toBe(1);
  await reaper.at(written + HOUR);
  expect(all.count('default')).toBe(0);
});

test('deletes the record of a token when it expires, and its revocation a minute later', async () => {
  const [records, revoked] = [
    resourceOf(client, DirectClusterEndpointToken),
    resourceOf(client, DirectClusterEndpointTokenRevocation),
  ];
  const now = Math.floor(Date.now() / 1000) * 1000;
  const record = (name: string, end: number): KubeObject => ({
    kind: 'DirectClusterEndpointToken',
    apiVersion: 'management.svc.example/v1',
    metadata: { name },
    status: { user: 'anna', expirationTimestamp: new Date(end).toISOString().replace('.000', '') },
  });
  const reaper = runReaper();
  await records.create('', record('expired', now - 1000));
  await records.create('', record('revoked', now + HOUR));
  await records.create('', record('valid', now + 2 * HOUR));
  await records.delete(clusterScoped('revoked'), {});
  expect([records.count(''), revoked.count('')]).toEqual([2, 1]);
  await reaper.at(now);
  expect([records.cached(clusterScoped('expired')), revoked.cached(clusterScoped('expired'))]).toEqual([
    undefined,
    undefined,
  ]);
  await reaper.at(now + HOUR + 59_000);
  expect([records.count(''), revoked.count('')]).toEqual([1, 1]);
  await reaper.at(now + HOUR + 60_000);
  expect([records.count(''), revoked.count('')]).toEqual([1, 0]);
});
