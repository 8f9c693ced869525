/** ProjectQuota: keeps projects within `spec.quotas`. No user is exempt, and existing objects stay. */
import { forbidden, quote, serverTimeout } from '../../apimachinery/errors.js';
import type { ProjectUsage } from './usage.js';
import type { AdmissionPlugin } from '../../admission/chain.js';
import { demandsOf } from './demands.js';

export function projectQuota(usage: ProjectUsage): AdmissionPlugin {
  return {
    name: 'ProjectQuota',
    async validate(attributes, object, previous) {
      const { definition, operation, subresource, namespace, name } = attributes;
      if (namespace === '' || subresource !== '' || object === undefined) return;
      const project = usage.limited(namespace);
      if (project === undefined) return;
      // A moved object is new in this project, though it has a previous state.
      const before = operation === 'CREATE' ? undefined : previous;
      const demands = demandsOf(definition, object, before, project.quotas);
      if (demands.length === 0) return;
      const turn = await usage.turn(namespace);
      if (turn === undefined) throw serverTimeout(definition, operation === 'CREATE' ? 'create' : 'update');
      for (const { what, asked, limit, used } of demands) {
        if (used(usage, namespace) + asked <= limit) continue;
        await usage.current();
        const held = used(usage, namespace);
        if (held + asked <= limit) continue;
        throw forbidden(
          definition,
          name,
          `exceeded quota of project ${quote(project.name)}: requested: ${what}=${asked}, used: ${what}=${held}, limited: ${what}=${limit}`,
        );
      }
      return { writes: [turn] };
    },
  };
}
