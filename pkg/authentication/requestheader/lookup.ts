import { setTimeout as sleep } from 'node:timers/promises';
import { membersOf, textIn } from '../../apimachinery/encoding/members.js';
import type { HostClient } from '../../hostclient/interface.js';
import { NAME, NAMESPACE } from './configmap.js';

export interface Lookup {
  /** Called with the ConfigMap, each time that it may have changed. Never throws. */
  take(this: void, object: unknown): void;
  /** Called if the read failed; it is retried. */
  failed(this: void, error: unknown): void;
}

type Host = Pick<HostClient, 'send' | 'watch'>;

/** Names the object in messages. */
export const WHAT = `ConfigMap ${NAMESPACE}/${NAME}`;

const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
/** A watch ends after this many seconds, and the object is read again. */
const WATCH_SECONDS = 290;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** Reads and watches until `signal` is aborted. Never rejects. */
export async function lookUp(host: Host, lookup: Lookup, signal: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const revision = await read(host, lookup, signal);
      pause = FIRST_PAUSE_MS;
      await watch(host, lookup, revision, signal);
    } catch (error) {
      if (!signal.aborted) lookup.failed(error);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
    await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Answers the resourceVersion. */
async function read(host: Host, { take }: Lookup, signal: AbortSignal): Promise<string> {
  const { status, body } = await host.send({ method: 'GET', path: `${PATH}/${NAME}`, signal });
  if (status !== 200) throw new Error(`the host answers ${status}`);
  take(body);
  return textIn(membersOf(body).metadata, 'resourceVersion') ?? '0';
}

async function watch(host: Host, { take }: Lookup, revision: string, signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    fieldSelector: `metadata.name=${NAME}`,
    resourceVersion: revision,
    timeoutSeconds: String(WATCH_SECONDS),
  });
  for await (const { type, object } of host.watch(`${PATH}?${query.toString()}`, signal)) {
    if (type === 'ERROR') return;
    if (type === 'ADDED' || type === 'MODIFIED') take(object);
  }
}
