/** OwnerLimits: owners cannot loosen the limits that others set. `ownerlimitfields.ts` lists the fields. */
import type { KubeObject } from '../../../api/resource.js';
import { DISABLED_BY_ANNOTATION } from '../accesskeys/names.js';
import { forbidden, groupResource, quote, userCannot } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { OWNER_LIMITS, holderOf, isDisabled } from './ownerlimitfields.js';
import { requestFor } from '../../apimachinery/attributes.js';

const GROUP = 'management.svc.example';

/** Only loosened limits are checked; tightening requires no other right. */
export function ownerLimits(authorizer: Pick<Authorizer, 'authorize'>): AdmissionPlugin {
  return {
    name: 'OwnerLimits',
    concerns: kindsOf(GROUP, 'OwnedAccessKey', ...OWNER_LIMITS.map(({ kind }) => kind)),
    async mutate({ definition, subresource, requester }, object, previous) {
      if (definition.kind !== 'OwnedAccessKey' || subresource !== '') return;
      sayWhoDisabled(object, previous, requester.name);
    },
    async validate({ definition, subresource, name, requester }, object, previous) {
      if (subresource !== '' || object === undefined) return;
      for (const limit of OWNER_LIMITS) {
        if (limit.kind !== definition.kind) continue;
        for (const right of limit.needed({ next: object, previous, writer: requester.name })) {
          const asked = requestFor(right.verb, right.kind, right);
          if ((await authorizer.authorize(requester, asked)).allowed) continue;
          const which = right.name === '' ? `all ${groupResource(right.kind)}` : quote(right.name);
          const why = `${userCannot(requester.name, asked)}: ${which}`;
          throw forbidden(definition, name, `${limit.path}: ${limit.rule}; ${why}`);
        }
      }
    },
  };
}

/** The annotation is the server's. A key that its holder disabled has none. */
function sayWhoDisabled(key: KubeObject, previous: KubeObject | undefined, writer: string): void {
  const before = previous?.metadata.annotations?.[DISABLED_BY_ANNOTATION] ?? holderOf(previous);
  const disabler = isDisabled(previous) ? before : writer;
  const by = isDisabled(key) && disabler !== holderOf(key, previous) ? disabler : undefined;
  const { [DISABLED_BY_ANNOTATION]: _sent, ...others } = key.metadata.annotations ?? {};
  const annotations = by === undefined ? others : { ...others, [DISABLED_BY_ANNOTATION]: by };
  if (Object.keys(annotations).length > 0) key.metadata.annotations = annotations;
  else delete key.metadata.annotations;
}
