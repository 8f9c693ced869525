/** The cluster's note of its store: annotations of a Lease, beside that of the controllers. */
import { isKubeObject, type KubeObject } from '../../../api/resource.js';
import { membersOf, textIn } from '../../apimachinery/encoding/members.js';
import { PROJECT_LABEL } from '../projects/names.js';
import type { HostAnswer, HostClient } from '../../hostclient/interface.js';
import type { KnownCluster, NotedStore } from './storemismatch.js';

/** Of the Lease. */
export const STORE_LEASE = 'management-store';
const ANNOTATION = 'management.svc.example/store-';
/** The names of the keys that the store needs, of those in the Secret of its servers; with commas between. */
const STORE_KEYS = `${ANNOTATION}keys`;

export interface ReadNotes extends KnownCluster {
  /** Of the Lease; undefined if it does not exist. */
  readonly version: string | undefined;
}

export interface ClusterNotes {
  /** Rejects with HostUnreachable, and Error if the cluster rejects the request. */
  read(): Promise<ReadNotes>;
  /** Replaces the note that was read. False after a conflict. Rejects as `read`. */
  replace(noted: NotedStore, read: ReadNotes): Promise<boolean>;
  /** Raises the note if it is of the same store. Rejects as `read`. */
  raise(noted: NotedStore): Promise<void>;
}

const UNREAD_SYSTEM = 'namespace kube-system cannot be read';
const UNREAD_NAMESPACES = 'namespaces cannot be listed';
const MERGE_PATCH = 'application/merge-patch+json';
/** Maximum number of attempts after conflicts. */
const ATTEMPTS = 5;

/** The path of the Lease. */
export const storeLeasePath = (namespace: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases/${STORE_LEASE}`;

/**
 * Replaces the note of keys by what `decide` makes of it: none removes it. `decide` reads the store after the note that it is
 * given was read, and is asked again after a conflict: what it knows is never older than what it replaces. Rejects as it, with
 * HostUnreachable, and Error if the cluster rejects a request.
 */
export async function noteStoreKeys(
  { send }: Pick<HostClient, 'send'>,
  namespace: string,
  decide: (noted: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const path = storeLeasePath(namespace);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const lease = `Lease ${namespace}/${STORE_LEASE} cannot be`;
    const { metadata } = objectOf(await send({ method: 'GET', path }), `${lease} read`);
    const noted = storeKeysIn({ metadata });
    const names = await decide(noted);
    if (names.join() === noted.join()) return;
    const annotations = { [STORE_KEYS]: names.length === 0 ? null : names.join(',') };
    const body = { metadata: { resourceVersion: metadata.resourceVersion, annotations } };
    const answer = await send({ method: 'PATCH', path, body, contentType: MERGE_PATCH });
    if (answer.status !== 409) return void bodyOf(answer, `${lease} written`);
  }
  throw othersWrite(namespace);
}

/** What {@link noteStoreKeys} has noted at this Lease. */
export function storeKeysIn(lease: unknown): readonly string[] {
  const note = textIn(membersOf(membersOf(lease).metadata).annotations, STORE_KEYS);
  return note === undefined ? [] : note.split(',');
}

/** `namespace`: of the Lease. */
export function clusterNotes({ send }: HostClient, namespace: string): ClusterNotes {
  const all = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const one = storeLeasePath(namespace);

  async function lease(): Promise<KubeObject | undefined> {
    const answer = await send({ method: 'GET', path: one });
    if (answer.status === 404) return undefined;
    return objectOf(answer, `Lease ${namespace}/${STORE_LEASE} cannot be read`);
  }

  async function replace(noted: NotedStore, { version }: Pick<ReadNotes, 'version'>): Promise<boolean> {
    const answer = await send(version === undefined ? creation(all, noted) : change(one, version, noted));
    if (answer.status === 409) return false;
    bodyOf(answer, `Lease ${namespace}/${STORE_LEASE} cannot be written`);
    return true;
  }

  return {
    async read() {
      const [system, projects, found] = await Promise.all([
        send({ method: 'GET', path: '/api/v1/namespaces/kube-system' }),
        send({
          method: 'GET',
          path: `/api/v1/namespaces?limit=1&labelSelector=${encodeURIComponent(PROJECT_LABEL)}`,
        }),
        lease(),
      ]);
      const { metadata } = objectOf(system, UNREAD_SYSTEM);
      if (metadata.uid === undefined) throw new Error(`${UNREAD_SYSTEM}: it has no uid`);
      const { items } = membersOf(bodyOf(projects, UNREAD_NAMESPACES));
      if (!Array.isArray(items)) throw new Error(`${UNREAD_NAMESPACES}: the answer is no list`);
      const version = found?.metadata.resourceVersion;
      return { cluster: metadata.uid, noted: found && notedIn(found), projects: items.length > 0, version };
    },
    replace,
    async raise(noted) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const before = await lease();
        if (!isFurther(noted, before && notedIn(before))) return;
        if (await replace(noted, { version: before?.metadata.resourceVersion })) return;
      }
      throw othersWrite(namespace);
    },
  };
}

/** A removed note is written again. */
const isFurther = (noted: NotedStore, before: NotedStore | undefined): boolean =>
  before === undefined ||
  (before.id === noted.id && (noted.mark > before.mark || noted.revision > before.revision));

function notedIn({ metadata: { annotations = {} } }: KubeObject): NotedStore | undefined {
  const id = annotations[`${ANNOTATION}id`];
  if (id === undefined) return undefined;
  const whole = (name: string): number => {
    const value = Number(annotations[ANNOTATION + name]);
    // A damaged note proves nothing: no store can be further.
    return Number.isSafeInteger(value) ? value : Number.MAX_SAFE_INTEGER;
  };
  return { id, mark: whole('mark'), revision: whole('revision') };
}

const annotationsOf = ({ id, mark, revision }: NotedStore): Readonly<Record<string, string>> => ({
  [`${ANNOTATION}id`]: id,
  [`${ANNOTATION}mark`]: String(mark),
  [`${ANNOTATION}revision`]: String(revision),
});

const creation = (path: string, noted: NotedStore) =>
  ({
    method: 'POST',
    path,
    body: {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: STORE_LEASE, annotations: annotationsOf(noted) },
      spec: {},
    },
  }) as const;

const change = (path: string, resourceVersion: string, noted: NotedStore) =>
  ({
    method: 'PATCH',
    path,
    body: { metadata: { resourceVersion, annotations: annotationsOf(noted) } },
    contentType: MERGE_PATCH,
  }) as const;

const othersWrite = (namespace: string): Error =>
  new Error(`others keep writing Lease ${namespace}/${STORE_LEASE}`);

function objectOf(answer: HostAnswer, otherwise: string): KubeObject {
  const body = bodyOf(answer, otherwise);
  if (isKubeObject(body)) return body;
  throw new Error(`${otherwise}: the answer is no object`);
}

function bodyOf({ status, body }: HostAnswer, otherwise: string): unknown {
  if (status < 300) return body;
  const message = textIn(body, 'message') ?? `status ${status}`;
  throw new Error(`${otherwise}: ${message}`);
}
