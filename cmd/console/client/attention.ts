/** Decides which objects need attention. Pure, so that the home page only shows the result. */
import { ACCESS_KEYS, type AccessKeyView } from './accesskeys.js';
import { CLUSTERS, type ClusterView } from './clusters.js';
import type { InstanceView } from './instances.js';
import { PROJECTS, type ProjectView } from './projects.js';
import type { NamedView } from './views.js';

/** The object. */
interface Place {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export type Attention = Place &
  /** `owner`: whose key it is. */
  (
    | { readonly kind: 'ends'; readonly at: number; readonly owner: string }
    | { readonly kind: 'never used'; readonly since: number; readonly owner: string }
    | { readonly kind: 'condition'; readonly type: string; readonly message: string }
    /** The object has failed, or has been waiting for a long time. */
    | { readonly kind: 'phase'; readonly phase: string; readonly message: string }
    | { readonly kind: 'is deleted'; readonly since: number }
  );

/** The worst first. */
const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What has failed is an error, and what becomes one without somebody a warning. */
export function severityOf(one: Attention): Severity {
  switch (one.kind) {
    case 'phase':
      return one.phase === 'Failed' ? 'error' : 'warning';
    case 'condition':
      return 'error';
    case 'ends':
    case 'is deleted':
      return 'warning';
    case 'never used':
      return 'info';
  }
}

/** The objects that the user can see. */
export interface Seen {
  readonly keys: readonly AccessKeyView[];
  readonly projects: readonly ProjectView[];
  readonly spaces: readonly InstanceView[];
  readonly virtualClusters: readonly InstanceView[];
  readonly clusters: readonly ClusterView[];
}

const SOON_MS = 7 * 86_400_000;
/** Keys that are made for a week or less are expected to end. */
const SHORT_MS = 7 * 86_400_000;
const UNUSED_MS = 30 * 86_400_000;
const DELETED_MS = 60_000;
const NEVER = Number.MAX_SAFE_INTEGER;
const WAITS_MS = 10 * 60_000;

/** `now`: ms since 1970. By severity; of access keys the one that ends next comes first. */
export function attentionOf(seen: Seen, now: number): Attention[] {
  const all = unsortedOf(seen, now);
  return SEVERITIES.flatMap((severity) => all.filter((one) => severityOf(one) === severity));
}

function unsortedOf({ keys, projects, spaces, virtualClusters, clusters }: Seen, now: number): Attention[] {
  const phased = [
    ...clusters.map((one) => [CLUSTERS, one] as const),
    ...spaces.map((one) => ['spaceinstances', one] as const),
    ...virtualClusters.map((one) => ['virtualclusterinstances', one] as const),
  ];
  return [
    ...phased.flatMap(([resource, { metadata, phase, message }]): Attention[] => {
      const waits = phase === 'Pending' && now - Date.parse(metadata.creationTimestamp ?? '') > WAITS_MS;
      if ((phase !== 'Failed' && !waits) || metadata.deletionTimestamp !== undefined) return [];
      return [{ kind: 'phase', ...placeOf(resource, metadata), phase, message }];
    }),
    ...projects.flatMap(({ metadata, conditions }) =>
      conditions
        .filter(({ status }) => status === 'False')
        .map(({ type, message = '' }): Attention => ({
          kind: 'condition',
          ...placeOf(PROJECTS, metadata),
          type,
          message,
        })),
    ),
    ...[...projects.map((one) => [PROJECTS, one] as const), ...phased].flatMap(
      ([resource, { metadata }]): Attention[] => {
        const since = Date.parse(metadata.deletionTimestamp ?? '');
        return now - since > DELETED_MS
          ? [{ kind: 'is deleted', ...placeOf(resource, metadata), since }]
          : [];
      },
    ),
    ...keys
      .toSorted((one, other) => (one.expires ?? NEVER) - (other.expires ?? NEVER))
      .flatMap((key) => ofKey(key, now)),
  ];
}

const placeOf = (resource: string, { namespace = '', name = '' }: NamedView['metadata']): Place => ({
  resource,
  namespace,
  name,
});

/** Login keys are left out: sessions of browsers are expected to expire. */
function ofKey(key: AccessKeyView, now: number): Attention[] {
  const { metadata, owner, type, disabled, expires, lastActivity } = key;
  if (type === 'Login' || disabled || (expires !== undefined && expires <= now)) return [];
  const place = placeOf(ACCESS_KEYS, metadata);
  const since = Date.parse(metadata.creationTimestamp ?? '');
  if (expires !== undefined && expires - now < SOON_MS)
    return expires - since > SHORT_MS ? [{ kind: 'ends', ...place, at: expires, owner }] : [];
  return lastActivity === undefined && now - since > UNUSED_MS
    ? [{ kind: 'never used', ...place, since, owner }]
    : [];
}
