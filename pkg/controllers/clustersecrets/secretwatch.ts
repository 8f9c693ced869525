/** Keeps the labelled Secrets of an API server known, by a list and a watch for each label. */
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
  /** A Secret with the label is there, or is otherwise now. */
  readonly seen: (secret: SecretMetadata, label: string) => void;
  /** It is gone, or has the label no more. */
  readonly missed: (secret: SecretMetadata, label: string) => void;
  /** All that there are were seen. `since`: what was not seen since then is gone. */
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

/** Answers from where to watch on; `''`: the list is to be made again. */
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
  // One that ends at once, time and again, is no watch.
  if (performance.now() - began < FIRST_MS) await pause(FIRST_MS, parts.signal);
  return broken || status === 410 ? '' : resourceVersion;
}

/** Undefined where there is none. */
const versionOf = (object: unknown): string | undefined =>
  textIn(membersOf(object).metadata, 'resourceVersion') || undefined;

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
