/** UserLimits: keeps each user within the limits of the kinds that they may create without a granted right. */
import type { KubeObject } from '../../../api/resource.js';
import { RESERVED_KEY_PREFIXES } from '../accesskeys/names.js';
import { fieldForbidden, invalid, serverTimeout } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { mayBeUnlimited } from '../accesskeys/unlimited.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { LOOPBACK_USER } from '../../registry/requester.js';
import { USER_LIMITS, type Counted } from '../limitedkinds.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { LimitExceeded } from './limitexceeded.js';
import type { UserUsage } from './usage.js';

const GROUP = 'management.svc.example';

/**
 * Users who may `create` `ownedaccesskeys/unlimited`, such as administrators, may have more keys. Keys that the server itself
 * creates at logins, and for workloads, are counted for everybody.
 */
export function userLimits(
  authorizer: Pick<Authorizer, 'authorize'>,
  usages: ReadonlyMap<string, UserUsage>,
): AdmissionPlugin {
  return {
    name: 'UserLimits',
    concerns: kindsOf(GROUP, ...USER_LIMITS.map(({ definition }) => definition.kind)),
    async validate(attributes, object, previous) {
      const { definition, operation, subresource, name, requester } = attributes;
      const usage = usages.get(definition.kind);
      if (usage === undefined || subresource !== '' || object === undefined) return;
      const isServer = requester.name === LOOPBACK_USER;
      if (operation === 'CREATE' && !isServer) checkName(attributes);
      const added = addedBy(usage, object, operation === 'CREATE' ? undefined : previous);
      if (added.counters.length === 0) return;
      if (!isServer && usage.limit.exempts && (await mayBeUnlimited(authorizer, requester, name))) return;
      const turn = await usage.turn(added);
      if (turn === undefined) throw serverTimeout(definition, operation === 'CREATE' ? 'create' : 'update');
      for (const counter of added.counters) {
        if (usage.held(counter, added) < counter.limit) continue;
        // What was deleted since does not count.
        await usage.current();
        if (usage.held(counter, added) >= counter.limit) throw new LimitExceeded(definition, name, counter);
      }
      return { writes: [turn] };
    },
  };
}

/** The counters that the write adds to. */
function addedBy({ limit }: UserUsage, object: KubeObject, previous: KubeObject | undefined): Counted {
  const counted = limit.count(object);
  const before = new Set(previous === undefined ? [] : limit.count(previous).counters.map(({ id }) => id));
  return { ...counted, counters: counted.counters.filter(({ id }) => !before.has(id)) };
}

/** Names that mark what the server made. */
function checkName({ definition, name }: AdmissionAttributes): void {
  if (definition.kind !== 'OwnedAccessKey') return;
  const prefix = RESERVED_KEY_PREFIXES.find((reserved) => name.startsWith(reserved));
  if (prefix === undefined) return;
  const why = `names that begin with ${prefix} are those of keys that the server makes`;
  throw invalid(definition, name, [fieldForbidden('metadata.name', why)]);
}
