/** The record of an issued token, without the token. */
import { DirectClusterEndpointToken } from '../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { apiVersionOf, type KubeObject } from '../../../api/resource.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { ManagementAnswerContext, TokenHolder } from '../services.js';
import { teamGroup } from '../people/identities/known.js';

/** The maximum size of a recorded scope, in bytes of JSON. */
const MAX_RECORDED_SCOPE = 2048;

type Spec = NonNullable<DirectClusterEndpointToken['spec']>;

export interface IssuedDirectToken {
  /** The `jti` of the token. */
  readonly id: string;
  readonly holder: TokenHolder;
  readonly spec: Spec;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** The user name of requests with the token. */
export function tokenHolder({ status = {} }: Pick<DirectClusterEndpointToken, 'status'>): string {
  const { user = '', team = '' } = status;
  return user || (team === '' ? '' : teamGroup(team));
}

/** Omits a scope that is too large to record. */
function recordedSpec({ scope, ...spec }: Spec): Spec {
  const recorded = scope !== undefined && Buffer.byteLength(JSON.stringify(scope)) <= MAX_RECORDED_SCOPE;
  return recorded ? { ...spec, scope } : spec;
}

/** Stores the record of a token. If it rejects with StatusError, the token must not be returned. */
export async function recordToken(
  { id, holder, spec, expiresAt }: IssuedDirectToken,
  { user, services, write, sourceAddress }: ManagementAnswerContext,
): Promise<void> {
  const { kind, name, uid, generation } = holder;
  const accessKey = services.usedKey(user);
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
