/** ReservedStatus: fields of the status that require more than the right to write it. */
import { isTime } from '../../apimachinery/schema/formats.js';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import type { Condition } from '../../../api/meta/v1/condition.js';
import { asKind, type KubeObject } from '../../../api/resource.js';
import { forbidden, quote, userCannot } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { asInstance } from '../asinstance.js';
import { sameJson } from '../../registry/object/metadata.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { clusterOf, importOf } from './reservedmetadata.js';

const GROUP = 'management.svc.example';
/** The condition that the host namespace is labelled with its instance, which the server then does not check again. */
export const HOST_LABELLED = 'HostLabelled';
/** The tolerated clock skew. */
const SKEW_MS = 60_000;

/**
 * Changing the address of a virtual cluster, or whether its host namespace is labelled, requires the verb `import` on
 * its Cluster, as other users get kubeconfigs with it. The last activity of an access key cannot be in the future, and only
 * the server writes the last login of a User.
 * Other fields are only displayed, or restored by controllers.
 */
export function reservedStatus(authorizer: Pick<Authorizer, 'authorize'>): AdmissionPlugin {
  async function checkInstance(
    { definition, name, requester }: AdmissionAttributes,
    object: KubeObject,
    previous: KubeObject | undefined,
  ): Promise<void> {
    const changed = (of: (instance: KubeObject | undefined) => unknown): boolean =>
      !sameJson(of(object), of(previous));
    const what = changed(virtualClusterOf)
      ? 'status.virtualCluster'
      : changed(labelledOf)
        ? LABELLED
        : undefined;
    if (what === undefined) return;
    const cluster = clusterOf(object);
    const asked = importOf(cluster);
    if ((await authorizer.authorize(requester, asked)).allowed) return;
    throw forbidden(definition, name, `${what}: ${userCannot(requester.name, asked)}: ${quote(cluster)}`);
  }

  return {
    name: 'ReservedStatus',
    concerns: kindsOf(GROUP, 'OwnedAccessKey', 'User', 'VirtualClusterInstance'),
    async mutate(attributes, object, previous) {
      if (!isReserved(attributes)) return;
      const { kind } = attributes.definition;
      if (kind === 'OwnedAccessKey')
        keepActivity(asKind(OwnedAccessKey, object), asKind(OwnedAccessKey, previous));
      if (kind === 'User') keepLogin(asKind(User, object), asKind(User, previous));
    },
    /** Validates, as the spec in a write of the status is ignored. */
    async validate(attributes, object, previous) {
      if (!isReserved(attributes) || attributes.definition.kind !== 'VirtualClusterInstance') return;
      if (object !== undefined) await checkInstance(attributes, object, previous);
    },
  };
}

/** What group rules judge is the word of the identity provider. */
function keepLogin(user: User, previous: User | undefined): void {
  const { login: _sent, ...rest } = user.status ?? {};
  const login = previous?.status?.login;
  user.status = login === undefined ? rest : { ...rest, login };
}

const isReserved = ({ subresource, requester }: AdmissionAttributes): boolean =>
  subresource === 'status' && requester.internal !== true;

const LABELLED = `status.conditions: the condition ${HOST_LABELLED}`;

const virtualClusterOf = (object: KubeObject | undefined): unknown =>
  asInstance(object)?.status?.virtualCluster ?? {};

function labelledOf(object: KubeObject | undefined): unknown {
  const conditions: readonly Condition[] = asInstance(object)?.status?.conditions ?? [];
  return conditions.find(({ type }) => type === HOST_LABELLED)?.status ?? '';
}

/** With a last activity in the future, a key that expires by inactivity would not expire. */
function keepActivity(key: OwnedAccessKey, previous: OwnedAccessKey | undefined): void {
  const { lastActivity } = key.status ?? {};
  // The schema refuses an invalid time.
  if (lastActivity === undefined || !isTime(lastActivity)) return;
  if (Date.parse(lastActivity) <= Date.now() + SKEW_MS) return;
  const { lastActivity: _sent, ...rest } = key.status ?? {};
  const before = previous?.status?.lastActivity;
  key.status = before === undefined ? rest : { ...rest, lastActivity: before };
}
