import { DirectClusterEndpointToken } from '../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import type { KubeObject } from '../../../api/resource.js';
import { fieldInvalid, fieldTooLong, forbidden, invalid } from '../../apimachinery/errors.js';
import { dns1123Subdomain } from '../../apimachinery/validation/names.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { StoredKind } from '../../registry/registry.js';
import { ISSUED_CREDENTIAL } from '../../registry/virtualresource.js';
import type { ManagementAnswerContext, ManagementServices, TokenHolder } from '../services.js';
import { scopeOf } from '../accesskeys/scope/interface.js';
import { validateScope } from '../accesskeys/scope/validation.js';
import { scopeWithin } from '../accesskeys/scope/within.js';
import { checkClusterAccess } from './clusteraccess.js';
import { recordToken } from './record.js';
import { directTokenStrategy } from './strategy.js';

const LEAST_SECONDS = 60;
const DAY_SECONDS = 86_400;
const MAX_SECONDS = 90 * DAY_SECONDS;
/** The maximum lifetime of a token with a scope. */
const SCOPED_SECONDS = 3600;
/** In characters of JSON. The token contains the scope, and verifiers read tokens of at most 64 KiB. */
const MAX_SCOPE_LENGTH = 32_768;
/** The prefix of built-in groups of connected clusters, which tokens never contain. */
const RESERVED = 'system:';
/** The last part of the audience of tokens with a scope; no Cluster may have this name. */
const SCOPED = 'scoped';

type Spec = NonNullable<DirectClusterEndpointToken['spec']>;

/** Issues a token for connected clusters to the caller, and records it. A dry run does neither. */
export const kind: StoredKind<typeof DirectClusterEndpointToken, ManagementServices> = {
  definition: DirectClusterEndpointToken,
  strategy: directTokenStrategy,
  async answerCreate(request, context) {
    const { user, services, annotate, write } = context;
    const spec: Spec = request.spec ?? {};
    const holder = holderOf(context);
    const scope = askedScope(request, spec, context);
    if (JSON.stringify(scope ?? {}).length > MAX_SCOPE_LENGTH)
      throw invalid(DirectClusterEndpointToken, '', [fieldTooLong('spec.scope', MAX_SCOPE_LENGTH)]);
    const cluster = await checkCluster(request, spec, scope, context);
    const now = Date.now();
    const ttl = ttlOf(request, spec, await maxSeconds(scope, now, context));
    const madeWith = await services.lifetimes.madeWithFor(user);
    const issuedAt = Math.floor(now / 1000);
    const answered = { ...spec, ttl, ...(scope !== undefined && { scope }) };
    if (!write.dryRun) {
      const { token, id } = await services.issueDirectToken({
        subject: user.name,
        groups: user.groups.filter((group) => !group.startsWith(RESERVED)),
        holder: { ...holder, ...(scope !== undefined && { scope }) },
        cluster,
        madeWith,
        issuedAt,
        expiresAt: issuedAt + ttl,
      });
      await recordToken({ id, holder, spec: answered, expiresAt: issuedAt + ttl }, context);
      annotate(ISSUED_CREDENTIAL, `JTI=${id}`);
      request.status = { token };
    }
    const { managedFields: _managedFields, ...metadata } = request.metadata;
    request.metadata = { ...metadata, creationTimestamp: timestamp(now) };
    request.spec = answered;
    return request;
  },
};

/** Throws StatusError 403 if the caller is not a known user or team, as their tokens could not be revoked. */
function holderOf({ user, services }: ManagementAnswerContext): TokenHolder {
  const holder = services.holder(user);
  if (holder === undefined)
    throw forbidden(DirectClusterEndpointToken, '', 'tokens are for users and teams of this service');
  if (holder.kind === 'User' && holder.disabled)
    throw forbidden(DirectClusterEndpointToken, '', 'the user is disabled');
  const { name = '', uid = '' } = holder.object.metadata;
  const generation = holder.kind === 'User' ? (holder.object.spec?.tokenGeneration ?? 0) : 0;
  return { kind: holder.kind, name, uid, generation };
}

/** The Cluster of the token; `''`: any. Throws StatusError 403 and 404 as {@link checkClusterAccess}. */
async function checkCluster(
  { metadata }: KubeObject,
  { cluster = '' }: Spec,
  scope: Scope | undefined,
  context: ManagementAnswerContext,
): Promise<string> {
  if (cluster === '') return cluster;
  const problems = dns1123Subdomain(cluster);
  if (cluster === SCOPED) problems.push(`"${SCOPED}" is reserved`);
  const errors = problems.map((problem) => fieldInvalid('spec.cluster', cluster, problem));
  if (errors.length > 0) throw invalid(DirectClusterEndpointToken, metadata.name ?? '', errors);
  await checkClusterAccess(cluster, scope, context);
  return cluster;
}

/** The requested scope, which must lie within the caller's; by default the caller's. */
function askedScope(
  { metadata }: KubeObject,
  { scope }: Spec,
  { user }: ManagementAnswerContext,
): Scope | undefined {
  const own = scopeOf(user);
  if (scope === undefined) return own;
  const errors = validateScope('spec.scope', scope);
  if (errors.length > 0) throw invalid(DirectClusterEndpointToken, metadata.name ?? '', errors);
  if (scopeWithin(scope, own)) return scope;
  const why = 'the scope must be within that of the access key that is used';
  throw forbidden(DirectClusterEndpointToken, '', why);
}

interface Most {
  readonly seconds: number;
  /** The reason for the limit, in an error. */
  readonly why: string;
}

/** Throws StatusError 403 if the caller's credential expires too soon. */
async function maxSeconds(
  scope: Scope | undefined,
  now: number,
  { user, services: { lifetimes } }: ManagementAnswerContext,
): Promise<Most> {
  const most = scope === undefined ? MAX_SECONDS : SCOPED_SECONDS;
  const end = (await lifetimes.endFor(user)) ?? Infinity;
  const rest = Math.floor(end / 1000) - Math.floor(now / 1000);
  if (rest >= most) return { seconds: most, why: scope === undefined ? '' : ' for a token with a scope' };
  const ends = `ends at ${timestamp(end)}`;
  if (rest >= LEAST_SECONDS) return { seconds: rest, why: `: the credential in use ${ends}` };
  const why = `the credential in use ${ends}, before the minimum lifetime of a token, ${LEAST_SECONDS} seconds`;
  throw forbidden(DirectClusterEndpointToken, '', why);
}

function ttlOf({ metadata }: KubeObject, { ttl }: Spec, { seconds: most, why }: Most): number {
  const seconds = ttl ?? Math.min(DAY_SECONDS, most);
  if (Number.isInteger(seconds) && seconds >= LEAST_SECONDS && seconds <= most) return seconds;
  const text = `must be between ${LEAST_SECONDS} and ${most}, inclusive${why}`;
  throw invalid(DirectClusterEndpointToken, metadata.name ?? '', [fieldInvalid('spec.ttl', seconds, text)]);
}
