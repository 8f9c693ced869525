import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { agentKeys, removeKeys } from './agentidentity.js';

const CHECK_INTERVAL_MS = 500;

interface Joining {
  readonly name: string;
  /** The keys of earlier agents. */
  readonly before: readonly OwnedAccessKey[];
  readonly timeoutMs: number;
  /** What to do where none has joined in time. */
  readonly advice: string;
}

/** Waits until an agent has used a new key, and removes those of earlier agents, which end with them. Rejects with Failure. */
export async function untilJoined(
  client: Client,
  { name, before, timeoutMs, advice }: Joining,
): Promise<void> {
  const known = new Set(before.map(({ metadata }) => metadata.uid));
  for (const end = performance.now() + timeoutMs; ; await sleep(CHECK_INTERVAL_MS)) {
    const keys = await agentKeys(client, name);
    const isNew = ({ metadata, status }: OwnedAccessKey): boolean =>
      !known.has(metadata.uid) && status?.lastActivity !== undefined;
    if (keys.some(isNew)) return removeKeys(client, before);
    if (performance.now() > end)
      throw new Failure('failed', `no agent of cluster "${name}" has joined yet`, { advice });
  }
}
