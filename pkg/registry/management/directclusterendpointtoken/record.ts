/** The record of an issued token, without the token. */
import { DirectClusterEndpointToken } from '../../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { DirectClusterEndpointTokenRevocation } from '../../../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import type { KubeObject } from '../../../../api/resource.js';
import { apiVersionOf } from '../../../../api/resource.js';
import { forbidden } from '../../../apimachinery/errors.js';
import { timestamp } from '../../object/metadata.js';
import type { RequestContext } from '../../virtualresource.js';
import type { TokenHolder } from '../services.js';

/** The maximum number of unexpired tokens of a user or a team, including revoked ones. */
export const MAX_TOKENS = 1000;

/** The maximum size of a recorded scope, in bytes of JSON: {@link MAX_TOKENS} records of one holder stay small. */
export const MAX_RECORDED_SCOPE = 2048;

type Spec = NonNullable<DirectClusterEndpointToken['spec']>;

export interface IssuedDirectToken {
  /** The `jti` of the token. */
  readonly id: string;
  readonly holder: TokenHolder;
  readonly spec: Spec;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** Omits a scope that is too large to record. */
function recordedSpec({ scope, ...spec }: Spec): Spec {
  const recorded = scope !== undefined && Buffer.byteLength(JSON.stringify(scope)) <= MAX_RECORDED_SCOPE;
  return recorded ? { ...spec, scope } : spec;
}

/** Stores the record of a token. If it rejects with StatusError, the token must not be returned. */
export async function recordToken(
  { id, holder, spec, expiresAt }: IssuedDirectToken,
  { user, services, write, sourceAddress }: RequestContext,
): Promise<void> {
  const { kind, name, uid, generation } = holder;
  const accessKey = services.management.usedKey(user);
  const record: KubeObject = {
    kind: DirectClusterEndpointToken.kind,
    apiVersion: apiVersionOf(DirectClusterEndpointToken),
    metadata: { name: id, ownerReferences: [{ apiVersion: apiVersionOf(User), kind, name, uid }] },
    spec: recordedSpec(spec),
    status: {
      ...(kind === 'User' ? { user: name } : { team: name }),
      tokenGeneration: generation,
      ...(spec.scope !== undefined && { scoped: true }),
      ...(accessKey !== undefined && { accessKey }),
      ...(sourceAddress !== '' && { sourceAddress }),
      expirationTimestamp: timestamp(expiresAt * 1000),
    },
  };
  await services.objects.create(DirectClusterEndpointToken, '', record, write);
}

/**
 * Throws StatusError 403 for a holder of {@link MAX_TOKENS}. Revoked tokens count until they expire, as their revocations
 * are stored and sent to agents until then. Tokens of an earlier generation do not count.
 */
export function checkTokenLimit(holder: TokenHolder, { services: { objects } }: RequestContext): void {
  const { kind, name } = holder;
  const member = kind === User.kind ? 'user' : 'team';
  const records = objects.selected(DirectClusterEndpointToken, `status.${member}`, name);
  const revocations = objects.selected(DirectClusterEndpointTokenRevocation, `spec.${member}`, name);
  if (records.count + revocations.count < MAX_TOKENS) return;
  let count = 0;
  const now = Date.now();
  const counts = (
    { metadata }: KubeObject,
    { tokenGeneration = 0, expirationTimestamp = '' }: Ends,
  ): boolean =>
    metadata.ownerReferences?.[0]?.uid === holder.uid &&
    tokenGeneration >= holder.generation &&
    Date.parse(expirationTimestamp) > now;
  for (const record of records.objects()) if (counts(record, record.status ?? {})) count += 1;
  for (const revocation of revocations.objects()) if (counts(revocation, revocation.spec ?? {})) count += 1;
  if (count < MAX_TOKENS) return;
  const why = `${kind} ${name} has ${count} tokens that have not expired, with those that were revoked; the limit is ${MAX_TOKENS}. Wait until some expire, and request a shorter spec.ttl`;
  throw forbidden(DirectClusterEndpointToken, '', why);
}

interface Ends {
  readonly tokenGeneration?: number;
  readonly expirationTimestamp?: string;
}
