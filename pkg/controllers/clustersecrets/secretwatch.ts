/** Watches the labelled Secrets of an API server, by a list and a watch for each label. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../../clusterclient/interface.js';
import { membersOf, textIn } from '../../apimachinery/encoding/members.js';
import { PROJECT_SECRET_NAME, SOURCE_NAME, metadataOf } from './labels.js';
import type { SecretMetadata } from './labels.js';
import { Refused, listSecrets, watchSecrets } from './secretrequests.js';
import { keyOf } from './targets.js';

export interface SecretWatchParts {
  readonly connect: () => Promise<Connection>;
  readonly signal: AbortSignal;
  /** Called for a Secret with the label that was added or changed. */
  readonly seen: (secret: SecretMetadata, label: string) => void;
  /** Called for a Secret that was deleted or has lost the label. */
  readonly missed: (secret: SecretMetadata, label: string) => void;
  /** Called after a complete list: a Secret that is not in `seen` was deleted. */
  readonly listed: (label: string, seen: ReadonlySet<string>) => void;
  readonly failed: (error: unknown) => void;
  /** Whether to list again when a watch ends. */
  readonly incomplete: () => boolean;
}

export const LABELS = [SOURCE_NAME, PROJECT_SECRET_NAME];
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Ends with the signal. Never rejects. */
export async function followSecrets(parts: SecretWatchParts): Promise<void> {
  await Promise.all(LABELS.map((label) => followLabel(label, parts)));
}

async function followLabel(label: string, parts: SecretWatchParts): Promise<void> {
  const { signal } = parts;
  let failures = 0;
  let from = '';
  while (!signal.aborted) {
    try {
      if (from === '' || parts.incomplete()) from = await list(label, parts);
      failures = 0;
      from = await watch(label, from, parts);
    } catch (error) {
      from = '';
      if (signal.aborted) return;
      parts.failed(error);
      await pause(Math.min(LONGEST_MS, FIRST_MS * 2 ** failures) * (0.75 + Math.random() / 2), signal);
      failures += 1;
    }
  }
}

async function list(label: string, { connect, signal, seen, listed }: SecretWatchParts): Promise<string> {
  const all = new Set<string>();
  const version = await listSecrets(await connect(), { label, signal }, (object) => {
    const secret = metadataOf(object);
    if (secret === undefined) return;
    all.add(keyOf(secret));
    seen(secret, label);
  });
  listed(label, all);
  return version;
}

/** Returns the resourceVersion to resume from; `''`: list again. */
async function watch(label: string, from: string, parts: SecretWatchParts): Promise<string> {
  let resourceVersion = from;
  const began = performance.now();
  let broken = false;
  const status = await watchSecrets(
    await parts.connect(),
    { label, resourceVersion, signal: parts.signal },
    ({ type, object }) => {
      if (type === 'ERROR') broken = true;
      resourceVersion = versionOf(object) ?? resourceVersion;
      const secret = type === 'BOOKMARK' ? undefined : metadataOf(object);
      if (secret === undefined) return;
      if (type === 'DELETED') parts.missed(secret, label);
      else parts.seen(secret, label);
    },
  );
  if (status !== 200 && status !== 410) throw new Refused(status);
  // Repeated watches that end at once are delayed.
  if (performance.now() - began < FIRST_MS) await pause(FIRST_MS, parts.signal);
  return broken || status === 410 ? '' : resourceVersion;
}

/** Undefined if it has none. */
const versionOf = (object: unknown): string | undefined =>
  textIn(membersOf(object).metadata, 'resourceVersion') || undefined;

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
