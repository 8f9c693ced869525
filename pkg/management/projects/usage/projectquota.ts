/** ProjectQuota: keeps projects within `spec.quotas`. No user is exempt, and existing objects stay. */
import { forbidden, quote, serverTimeout } from '../../../apimachinery/errors.js';
import type { ProjectUsage } from './usage.js';
import type { AdmissionPlugin } from '../../../admission/chain.js';
import { quotasOf } from './quotas.js';

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
      const demands = quotasOf(project.quotas)
        .map((quota) => ({ quota, asked: quota.added(definition, object, before) }))
        .filter(({ asked }) => asked > 0);
      if (demands.length === 0) return;
      const turn = await usage.turn(namespace);
      if (turn === undefined) throw serverTimeout(definition, operation === 'CREATE' ? 'create' : 'update');
      for (const { quota, asked } of demands) {
        if (quota.used(usage, namespace) + asked <= quota.hard) continue;
        await usage.current();
        const used = quota.used(usage, namespace);
        if (used + asked <= quota.hard) continue;
        const { name: what, hard } = quota;
        throw forbidden(
          definition,
          name,
          `exceeded quota of project ${quote(project.name)}: requested: ${what}=${asked}, used: ${what}=${used}, limited: ${what}=${hard}`,
        );
      }
      return { writes: [turn] };
    },
  };
}
