/** Secrets in connected clusters that the server fills (docs/secrets-in-clusters.md), as those clusters list them. */
import {
  PROJECT_SECRET_NAME,
  SOURCE_NAME,
  SOURCE_NAMESPACE,
  SYNC_STATUS,
} from '../../../../api/management.svc.example/secretsource.js';
import type { ObjectMeta } from '../../../../api/resource.js';
import { isObject, membersOf } from '../../../../api/members.js';
import { ApiError, UNREADABLE } from '../status.js';

/** Requests only metadata, so that the browser gets no secret values. */
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
/** The maximum number of Secrets that are read from one response. */
export const MAX_SECRETS = 50;
const LONGEST_LABEL = 63;

export interface FilledSecret {
  readonly namespace: string;
  readonly name: string;
  /** Such as `Synced`; `''` until the server has synchronized it. */
  readonly status: string;
  /** The ProjectSecret that the Secret is filled from; `''`: it is filled from the SharedSecret itself. */
  readonly mirror: string;
}

/** Selects the Secrets that a SharedSecret fills; undefined: its name cannot be the value of a label. */
export function sharedSelector({ namespace = '', name = '' }: ObjectMeta): string | undefined {
  if (name.length > LONGEST_LABEL || namespace.length > LONGEST_LABEL) return undefined;
  return `${SOURCE_NAME}=${name},${SOURCE_NAMESPACE}=${namespace}`;
}

/** Selects the Secrets that ProjectSecrets of one project fill; undefined: none of them fills any. */
export function mirrorSelector(names: readonly string[]): string | undefined {
  const short = names.filter((name) => name !== '' && name.length <= LONGEST_LABEL);
  return short.length === 0 ? undefined : `${PROJECT_SECRET_NAME} in (${short.join()})`;
}

/** A cluster may return anything. Throws ApiError unless the response is a list of metadata. */
export function filledSecretsOf(answer: unknown): FilledSecret[] {
  if (!isObject(answer) || answer.kind !== 'PartialObjectMetadataList' || !Array.isArray(answer.items))
    throw new ApiError(200, { reason: UNREADABLE, message: '' });
  return answer.items.slice(0, MAX_SECRETS).flatMap((item: unknown) => filledSecretOf(item) ?? []);
}

function filledSecretOf(item: unknown): FilledSecret | undefined {
  const metadata = membersOf(membersOf(item).metadata);
  const { name, namespace } = metadata;
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined;
  const labels = membersOf(metadata.labels);
  const annotations = membersOf(metadata.annotations);
  const isShared = labels[SOURCE_NAME] !== undefined;
  const mirror = isShared ? '' : textOf(labels[PROJECT_SECRET_NAME]);
  return { namespace, name, status: textOf(annotations[SYNC_STATUS]), mirror };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
