/** Delegated authentication and authorization: the host decides who a user is, and what they may do. */
import { delegatedAuthenticator, hostTokensOnly } from '../../../pkg/authentication/delegated.js';
import type { Authenticator } from '../../../pkg/authentication/interface.js';
import {
  openDynamicTrust,
  type DynamicTrust,
} from '../../../pkg/authentication/requestheader/dynamictrust.js';
import { ISSUER_CONFIGURATION, ISSUER_KEYS } from '../../../pkg/server/routes/issuerpaths.js';
import type { KnownKeys } from '../../../pkg/authentication/requestheader/keybound.js';
import { tokenReviewAuthenticator } from '../../../pkg/authentication/tokenreview/authenticator.js';
import { alwaysAllowedPaths } from '../../../pkg/authorization/alwaysallowed.js';
import { PROXY_GRANT } from '../../../pkg/management/sharing/managednames.js';
import { privilegedGroupAuthorizer } from '../../../pkg/authorization/privilegedgroup.js';
import { unionAuthorizer } from '../../../pkg/authorization/union.js';
import { subjectAccessAuthorizer } from '../../../pkg/authorization/webhook/authorizer.js';
import type { HostClient } from '../../../pkg/hostclient/interface.js';
import { reviewCounts } from '../../../pkg/hostclient/reviewcounts.js';
import type { ReviewSources } from '../../../pkg/server/metrics/reviewmetrics.js';
import type { Decides } from '../../../pkg/management/authorizers.js';
import type { HostConfig } from '../options/hostconfig.js';
import { authoritiesOf } from '../options/flagfiles.js';
import { inWords, StartError } from '../../../pkg/apimachinery/starterror.js';

type Report = (problem: string, error: unknown) => void;

/**
 * Loads the trusted authorities. Await `ready` before serving. Needs no store. Throws StartError for invalid files.
 */
export function openTrust(
  { clientCaFile }: Pick<HostConfig, 'clientCaFile'>,
  host: HostClient,
  report: Report,
): DynamicTrust {
  try {
    return openDynamicTrust({ host, clients: () => authoritiesOf('client-ca-file', clientCaFile), report });
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(inWords(error));
  }
}

/** How long the answer to a TokenReview counts. */
const TOKEN_TTL_MS = 1_000;
/** How long the answer to a SubjectAccessReview counts, unless roles or bindings change. */
const DECISION_TTL_MS = 5_000;
/** What everybody may get: probes, and what verifies tokens of this server. */
const ALWAYS_ALLOWED = ['/healthz', '/readyz', '/livez', ISSUER_CONFIGURATION, ISSUER_KEYS];

export interface Delegated {
  /**
   * `own`: this service's own tokens (access keys, direct tokens). `keys`: those that the host may know;
   * absent while the store is not open.
   */
  authenticator(
    this: void,
    trust: Pick<DynamicTrust, 'current'>,
    own: readonly Authenticator[],
    keys?: KnownKeys,
  ): Authenticator;
  /** Authenticates tokens of the host. `own`: as above; these tokens are refused. */
  hostTokens(this: void, own: readonly Authenticator[]): Authenticator;
  /** Authorizes by reviews of the host, and by the cached roles and bindings of the host. */
  readonly authorizer: Decides;
  readonly reviews: ReviewSources;
}

export function openDelegated(host: Pick<HostClient, 'send'>, report: Report): Delegated {
  const reviews = { authentication: reviewCounts(), authorization: reviewCounts() };
  const asked = tokenReviewAuthenticator({
    host,
    cacheTtlMs: TOKEN_TTL_MS,
    counts: reviews.authentication,
    failed: (error) => report('TokenReviews at the host fail', error),
  });
  return {
    reviews,
    authenticator: (trust, own, keys) =>
      delegatedAuthenticator({ trust: trust.current, tokens: [...own, asked], keys }),
    hostTokens: (own) => hostTokensOnly(own, asked),
    authorizer: (rbac, caches, own, followed) =>
      unionAuthorizer([
        privilegedGroupAuthorizer(),
        alwaysAllowedPaths(ALWAYS_ALLOWED),
        ...own,
        subjectAccessAuthorizer({
          host,
          counts: reviews.authorization,
          cacheTtlMs: DECISION_TTL_MS,
          caches,
          rbac,
          forwarded: { group: 'management.svc.example', role: PROXY_GRANT },
          followed,
          failed: (error) => report('the host cannot be asked what a user may do', error),
        }),
      ]),
  };
}
