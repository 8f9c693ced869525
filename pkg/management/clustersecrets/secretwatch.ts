/** Watches the labelled Secrets of an API server, by a list and a watch for each label. */
import { ApiError } from '../../../api/client/apierror.js';
import { Reflector } from '../../../api/client/reflector.js';
import type { Connection } from '../clusters/client/interface.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import {
  PROJECT_SECRET_NAME,
  SOURCE_NAME,
  metadataOf,
  resourceVersionOf,
  type SecretMetadata,
} from './labels.js';
import { ListTooLong, Refused, listSecrets, watchSecrets } from './secretrequests.js';

export interface SecretWatchParts {
  readonly connect: () => Promise<Connection>;
  readonly signal: AbortSignal;
  /** The namespaces whose Secrets count; `''` if all do. */
  readonly namespaces: () => Iterable<string>;
  /** Called before a list. */
  readonly listing: (label: string) => void;
  /**
   * Called for a Secret with the label that was added or changed. Returns its key; undefined: it is not
   * synchronized.
   */
  readonly seen: (secret: SecretMetadata, label: string) => string | undefined;
  /** Called for a Secret that was deleted or has lost the label. */
  readonly missed: (secret: SecretMetadata, label: string) => void;
  /** Called after a complete list: a Secret that is not in `seen` was deleted. */
  readonly listed: (label: string, seen: ReadonlySet<string>) => void;
  readonly failed: (error: unknown) => void;
  /** Whether to list again when a watch ends. */
  readonly incomplete: () => boolean;
}

export const LABELS = [SOURCE_NAME, PROJECT_SECRET_NAME];
/** The maximum bytes of a list of all namespaces: about twice what is kept of it. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const MAX_NAMESPACE_BYTES = 2 * 1024 * 1024;
const FIRST_MS = 1_000;

/** Ends with the signal. Never rejects. */
export async function followSecrets(parts: SecretWatchParts): Promise<void> {
  await Promise.all(LABELS.map((label) => followLabel(label, parts)));
}

async function followLabel(label: string, parts: SecretWatchParts): Promise<void> {
  const { connect, signal, seen, missed, failed, incomplete } = parts;
  const reflector = new Reflector<unknown>({
    signal,
    backoff: { first: FIRST_MS },
    list: () => list(label, parts),
    async watch(resourceVersion, take) {
      const status = await watchSecrets(await connect(), { label, resourceVersion, signal }, take);
      if (status === 410) throw new ApiError(status, {});
      if (status !== 200) throw new Refused(status);
      if (incomplete()) reflector.relist();
    },
    versionOf: (object) => resourceVersionOf(membersOf(object).metadata),
    changed(type, object) {
      const secret = metadataOf(object);
      if (secret === undefined) return;
      if (type === 'DELETED') missed(secret, label);
      else seen(secret, label);
    },
    failed(error) {
      // It may be another cluster that answers next.
      reflector.relist();
      failed(error instanceof ApiError ? new Refused(error.code) : error);
    },
  });
  await reflector.run();
}

/**
 * Lists by namespace if the whole list is too long, as others may have any number of labelled Secrets, of any
 * size, in namespaces that do not count. A namespace whose list is too long is listed in part.
 */
async function list(label: string, parts: SecretWatchParts): Promise<string> {
  const { connect, signal, listing, listed } = parts;
  listing(label);
  const all = new Set<string>();
  const each = collector(label, parts, all);
  let version: string;
  try {
    version = await listSecrets(await connect(), { label, signal, maxBytes: MAX_LIST_BYTES }, each);
  } catch (error) {
    if (!(error instanceof ListTooLong)) throw error;
    version = error.resourceVersion;
    for (const namespace of parts.namespaces()) {
      if (namespace === '') continue;
      const found = await listInside(label, namespace, parts, each);
      // Changes since the first list are watched.
      version ||= found;
    }
  }
  listed(label, all);
  return version;
}

/** Lists the Secrets of a namespace, up to the limit. */
export async function listNamespace(namespace: string, parts: SecretWatchParts): Promise<void> {
  for (const label of LABELS) await listInside(label, namespace, parts, collector(label, parts));
}

async function listInside(
  label: string,
  namespace: string,
  { connect, signal }: SecretWatchParts,
  each: (object: unknown) => void,
): Promise<string> {
  try {
    return await listSecrets(
      await connect(),
      { label, signal, namespace, maxBytes: MAX_NAMESPACE_BYTES },
      each,
    );
  } catch (error) {
    // The namespace does not exist yet.
    if (error instanceof Refused && error.status === 404) return '';
    if (!(error instanceof ListTooLong)) throw error;
    return error.resourceVersion;
  }
}

function collector(label: string, { seen }: SecretWatchParts, all?: Set<string>): (object: unknown) => void {
  return (object) => {
    const secret = metadataOf(object);
    const key = secret && seen(secret, label);
    if (key !== undefined) all?.add(key);
  };
}
