/** The namespace of a space in its cluster. */
import type { SpaceInstance } from '../../../../api/management.svc.example/v1/spaceinstance.js';
import { POD_SECURITY_LABELS, projectOfNamespace } from '../../projects/names.js';
import type { ClusterAnswer, Connection } from '../../clusters/client/interface.js';
import { MANAGED_BY } from '../../sharing/managednames.js';

const PREFIX = 'management.svc.example';
const LONGEST_LABEL = 63;
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
/** The maximum bytes of a namespace. */
const MAX_BYTES = 1024 * 1024;

type Labels = Readonly<Record<string, string>>;

/** Annotation of the namespace: the uid of its SpaceInstance. */
const SPACE_UID = `${PREFIX}/space-instance-uid`;

/** The labels and annotations that identify the space in its cluster. */
export interface SpaceMarks {
  readonly labels: Labels;
  readonly uid: string;
  /** Whether a namespace that was made for another space is this one's now. */
  readonly adopts: boolean;
}

/**
 * The outcome of a request: done, to be retried when the namespace is gone, or refused by the cluster. `ours`: whether the
 * namespace is the space's, and nobody else's.
 */
export type Outcome =
  | { readonly is: 'done'; readonly ours: boolean }
  | { readonly is: 'terminating' }
  | { readonly is: 'refused'; readonly status: number };

const DONE: Outcome = { is: 'done', ours: true };
const OF_OTHERS: Outcome = { is: 'done', ours: false };

/** Labels by which administrators of the cluster find the space. `prefix`: of the namespaces of projects. */
export function spaceLabels({ metadata }: SpaceInstance, prefix: string): Labels {
  const { name = '', namespace = '' } = metadata;
  const project = projectOfNamespace(prefix, namespace);
  const label = (value: string): string => value.slice(0, LONGEST_LABEL).replace(/[^a-z0-9]+$/, '');
  return {
    [`${PREFIX}/space-instance-name`]: label(name),
    [`${PREFIX}/space-instance-namespace`]: label(namespace),
    ...(project !== undefined && { [`${PREFIX}/space-instance-project`]: label(project) }),
  };
}

/** Creates the namespace if it is missing; one of others is not changed. Throws StatusError 504. */
export async function keepHostNamespace(
  connection: Connection,
  name: string,
  { labels, uid, adopts }: SpaceMarks,
): Promise<Outcome> {
  const annotations = { [SPACE_UID]: uid };
  const found = await connection.request({
    method: 'GET',
    path: pathOf(name),
    accept: METADATA,
    maxBytes: MAX_BYTES,
  });
  if (found.status === 404) {
    const metadata = {
      name,
      labels: { ...POD_SECURITY_LABELS, ...labels, [MANAGED_BY.label]: MANAGED_BY.value },
      annotations,
    };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata };
    const { status } = await connection.request({ method: 'POST', path: '/api/v1/namespaces', body });
    return status === 201 ? DONE : { is: 'refused', status };
  }
  if (found.status !== 200) return { is: 'refused', status: found.status };
  const metadata = metadataOf(found);
  if (metadata.deletionTimestamp !== undefined) return { is: 'terminating' };
  const has = metadata.labels ?? {};
  const same = Object.entries(labels).every(([label, value]) => has[label] === value);
  const its = metadata.annotations?.[SPACE_UID];
  if (has[MANAGED_BY.label] !== MANAGED_BY.value || its === undefined) return OF_OTHERS;
  if (its !== uid && !adopts) return OF_OTHERS;
  if (same && its === uid) return DONE;
  const { status } = await connection.request({
    method: 'PATCH',
    path: pathOf(name),
    body: { metadata: { labels, annotations } },
    contentType: 'application/merge-patch+json',
  });
  return status === 200 ? DONE : { is: 'refused', status };
}

/**
 * Removes the namespace if the server created it for this space. Done when it is gone, or when it belongs to
 * another space, which a store from a backup does not know. Throws StatusError 504.
 */
export async function removeHostNamespace(
  connection: Connection,
  name: string,
  uid: string,
): Promise<Outcome> {
  const found = await connection.request({
    method: 'GET',
    path: pathOf(name),
    accept: METADATA,
    maxBytes: MAX_BYTES,
  });
  if (found.status === 404) return DONE;
  if (found.status !== 200) return { is: 'refused', status: found.status };
  const { uid: its, labels = {}, annotations = {}, deletionTimestamp } = metadataOf(found);
  if (labels[MANAGED_BY.label] !== MANAGED_BY.value || annotations[SPACE_UID] !== uid) return DONE;
  if (deletionTimestamp !== undefined) return { is: 'terminating' };
  const preconditions = its === undefined ? {} : { preconditions: { uid: its } };
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...preconditions };
  const { status } = await connection.request({ method: 'DELETE', path: pathOf(name), body });
  return status < 300 || status === 404 || status === 409 ? { is: 'terminating' } : { is: 'refused', status };
}

const pathOf = (name: string): string => `/api/v1/namespaces/${encodeURIComponent(name)}`;

interface Metadata {
  readonly uid?: string;
  readonly annotations?: Labels;
  readonly labels?: Labels;
  readonly deletionTimestamp?: string;
}

const metadataOf = ({ object }: ClusterAnswer): Metadata => object.metadata ?? {};
