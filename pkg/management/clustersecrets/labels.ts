/** The labels and annotations of Secrets in connected clusters. */
import {
  PROJECT_SECRET_NAME,
  SOURCE_NAME,
  SOURCE_NAMESPACE,
  SYNC_STATUS as STATUS,
} from '../../../api/management.svc.example/secretsource.js';
import { isObject } from '../../apimachinery/encoding/members.js';

const PREFIX = 'management.svc.example/';
/** Annotation of a Secret, set by its users: `key=source key` for each key, separated by commas. */
export const KEYS = `${PREFIX}sync-keys`;
/** Annotations of a Secret, set by the server: the source of its data, and the state. */
export const FROM_UID = `${PREFIX}synced-from-uid`;
export const FROM_VERSION = `${PREFIX}synced-from-version`;
export const FROM_OWNER = `${PREFIX}synced-from-owner`;

/** Annotation of a Secret that the server created: the uid of the ProjectSecret, and the type. */
export const SYNCED_FOR = `${PREFIX}synced-for`;

export { PROJECT_SECRET_NAME, SOURCE_NAME, SOURCE_NAMESPACE, STATUS };

type Texts = Readonly<Record<string, string>>;

/** The cached part of a Secret in a cluster, without its data. */
export interface SecretMetadata {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Only those of this service. */
  readonly labels: Texts;
  readonly annotations: Texts;
  /** It was deleted, and finalizers hold it. */
  readonly deleting?: true;
}

/** The maximum lengths of a name, a namespace, and of uid and resourceVersion. */
const MAX_NAME = 253;
const MAX_NAMESPACE = 63;
const MAX_ID = 128;
/** The maximum length of an annotation: a longer one counts as empty, which is invalid. */
const MAX_VALUE = 65_536;
/** Names as Kubernetes has them: others would enter messages and logs. */
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const ID = /^[!-~]+$/;
const LABEL = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Undefined unless it is a namespaced object: a cluster may answer anything. */
export function metadataOf(object: unknown): SecretMetadata | undefined {
  if (!isObject(object) || !isObject(object.metadata)) return undefined;
  const { labels, annotations, ...of } = object.metadata;
  const namespace = textLike(NAME, of.namespace, MAX_NAMESPACE);
  const name = textLike(NAME, of.name, MAX_NAME);
  const uid = textLike(ID, of.uid, MAX_ID);
  const resourceVersion = textLike(ID, of.resourceVersion, MAX_ID);
  if (namespace === undefined || name === undefined) return undefined;
  if (uid === undefined || resourceVersion === undefined) return undefined;
  const deleting = typeof of.deletionTimestamp === 'string' && ({ deleting: true } as const);
  const texts = {
    labels: ours(labels, LABELS, (value) => LABEL.test(value)),
    annotations: ours(annotations, ANNOTATIONS, ({ length }) => length <= MAX_VALUE),
  };
  return { namespace, name, uid, resourceVersion, ...texts, ...deleting };
}

const textLike = (pattern: RegExp, value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value.length <= most && pattern.test(value) ? value : undefined;

/** The resourceVersion of a list or an event; undefined if it has none. */
export const resourceVersionOf = (metadata: unknown): string | undefined =>
  isObject(metadata) ? textLike(ID, metadata.resourceVersion, MAX_ID) : undefined;

const LABELS = [SOURCE_NAME, SOURCE_NAMESPACE, PROJECT_SECRET_NAME];
const ANNOTATIONS = [KEYS, FROM_UID, FROM_VERSION, FROM_OWNER, STATUS, SYNCED_FOR];

/** Drops other members, of which a cluster may have any number. Invalid values count as empty. */
function ours(values: unknown, names: readonly string[], isValid: (value: string) => boolean): Texts {
  const texts: Record<string, string> = {};
  if (!isObject(values)) return texts;
  for (const key of names) {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (typeof value === 'string') texts[key] = isValid(value) ? value : '';
  }
  return texts;
}

/** The members that are strings. */
export function textsOf(values: unknown): Record<string, string> {
  const texts: Record<string, string> = {};
  if (isObject(values))
    for (const [key, value] of Object.entries(values)) if (typeof value === 'string') texts[key] = value;
  return texts;
}
