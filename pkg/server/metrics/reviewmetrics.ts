import type { Registry } from 'prom-client';
import type { ReviewCounts } from '../../hostclient/reviewcounts.js';
import { exposeCounts, exposeHistograms } from './series.js';

/** Reviews that the host was asked for. */
export interface ReviewSources {
  readonly authentication: Pick<ReviewCounts, 'series'>;
  readonly authorization: Pick<ReviewCounts, 'series'>;
}

/** Under the names of Kubernetes. */
export function exposeReviews(registry: Registry, { authentication, authorization }: ReviewSources): void {
  exposeKind(registry, 'apiserver_delegated_authn_request', 'TokenReviews', authentication);
  exposeKind(registry, 'apiserver_delegated_authz_request', 'SubjectAccessReviews', authorization);
}

function exposeKind(
  registry: Registry,
  name: string,
  what: string,
  { series }: Pick<ReviewCounts, 'series'>,
): void {
  exposeCounts(registry, `${name}_total`, `${what} that the host was asked for, by what it answered.`, () =>
    Array.from(series(), ({ labels, counts }) => ({
      labels,
      value: counts.reduce((sum, one) => sum + one, 0),
    })),
  );
  exposeHistograms(
    registry,
    `${name}_duration_seconds`,
    `Time that the host took for ${what}, in seconds.`,
    () => Array.from(series()),
  );
}
