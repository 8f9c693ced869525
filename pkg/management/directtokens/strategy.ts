import type { DirectClusterEndpointToken } from '../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { DirectClusterEndpointTokenRevocation } from '../../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import { apiVersionOf, type KubeObject, clusterScoped } from '../../../api/resource.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import type { Strategy } from '../../registry/strategy.js';
import type { TransactionObjects, Effects } from '../../registry/transaction/effects.js';
import { MAX_TOKEN_RECORD_BYTES } from '../limitedkinds.js';
import { expiresColumn, textColumn } from '../columns.js';

type Status = NonNullable<DirectClusterEndpointToken['status']>;

const NO_EFFECTS: Effects = { writes: [], guards: [] };
const statusOf = ({ status = {} }: DirectClusterEndpointToken): Status => status;

/** Records of tokens. The commit that removes a record revokes its token, unless that has expired. */
export const directTokenStrategy: Strategy<DirectClusterEndpointToken> = {
  generation: false,
  maxBytes: MAX_TOKEN_RECORD_BYTES,
  columns: [
    textColumn<DirectClusterEndpointToken>(
      'User',
      'The user that the token is of.',
      (token) => statusOf(token).user ?? '',
    ),
    textColumn<DirectClusterEndpointToken>(
      'Team',
      'The team that the token is of.',
      (token) => statusOf(token).team ?? '',
    ),
    textColumn<DirectClusterEndpointToken>(
      'Cluster',
      'The Cluster that the token is for.',
      ({ spec }) => spec?.cluster ?? '<any>',
    ),
    textColumn<DirectClusterEndpointToken>('Scoped', 'Whether a scope restricts the token.', (token) =>
      String(statusOf(token).scoped === true),
    ),
    textColumn<DirectClusterEndpointToken>(
      'From',
      'The address that the token was requested from.',
      (token) => statusOf(token).sourceAddress ?? '',
    ),
    expiresColumn<DirectClusterEndpointToken>(
      'When the token expires.',
      (token) => statusOf(token).expirationTimestamp,
    ),
    ageColumn(humanAge),
    textColumn<DirectClusterEndpointToken>(
      'Access Key',
      'The access key that was used to create the token.',
      (token) => statusOf(token).accessKey ?? '',
      1,
    ),
  ],
  // A record that waits for finalizers, such as of a foreground deletion, already revokes its token.
  async effects({ next, previous, now }, objects) {
    const ends = next === undefined || next.metadata.deletionTimestamp !== undefined;
    if (!ends || previous === undefined) return NO_EFFECTS;
    return revocation(previous, now, objects);
  },
};

async function revocation(
  { metadata, spec = {}, status = {} }: DirectClusterEndpointToken,
  now: string,
  objects: TransactionObjects,
): Promise<Effects> {
  const { name = '', ownerReferences = [] } = metadata;
  const { expirationTimestamp = '', user, team, tokenGeneration } = status;
  const { group, plural, kind } = DirectClusterEndpointTokenRevocation;
  if (Date.parse(expirationTimestamp) <= Date.parse(now)) return NO_EFFECTS;
  const revocations = objects.kind(group, plural);
  if ((await revocations.read(clusterScoped(name))) !== undefined) return NO_EFFECTS;
  const revoked: KubeObject = {
    kind,
    apiVersion: apiVersionOf(DirectClusterEndpointTokenRevocation),
    metadata: { name, ownerReferences: [...ownerReferences] },
    spec: {
      ...(spec.cluster !== undefined && { cluster: spec.cluster }),
      ...(user !== undefined && { user }),
      ...(team !== undefined && { team }),
      ...(tokenGeneration !== undefined && { tokenGeneration }),
      expirationTimestamp,
    },
  };
  return { writes: revocations.ensure('', revoked, undefined), guards: [], decidesAccess: true };
}
