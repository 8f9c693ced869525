import type { Authorizer, Decision, Visible } from './interface.js';
import { onceKnown } from '../apimachinery/eventloop/onceknown.js';

/** Allows what any of the authorizers allows, in this order. A denial has the reasons of all. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize(user, attributes) {
      const ask = (at: number, reasons: readonly string[]): Decision | Promise<Decision> => {
        const next = authorizers[at];
        if (next === undefined) return { allowed: false, reason: reasons.join('\n') };
        const consider = (decision: Decision): Decision | Promise<Decision> => {
          if (decision.allowed) return decision;
          return ask(at + 1, decision.reason === '' ? reasons : [...reasons, decision.reason]);
        };
        return onceKnown(next.authorize(user, attributes), consider);
      };
      return ask(0, []);
    },
    visible(user, attributes) {
      let seen: Visible = { objects: 'none' };
      for (const one of authorizers) {
        seen = joined(seen, one.visible(user, attributes));
        if (seen.objects === 'all') return seen;
      }
      return seen;
    },
    namespaces: (user) => new Set(authorizers.flatMap((one) => [...one.namespaces(user)])),
    async rulesFor(user, namespace) {
      const parts = await Promise.all(authorizers.map(async (one) => one.rulesFor(user, namespace)));
      return {
        resourceRules: distinct(parts.flatMap(({ resourceRules }) => resourceRules)),
        nonResourceRules: distinct(parts.flatMap(({ nonResourceRules }) => nonResourceRules)),
        incomplete: parts.some(({ incomplete }) => incomplete),
      };
    },
  };
}

function joined(one: Visible, other: Visible): Visible {
  if (one.objects === 'all' || other.objects === 'none') return one;
  if (other.objects === 'all' || one.objects === 'none') return other;
  return { objects: 'names', names: new Set([...one.names, ...other.names]) };
}

function distinct<T>(rules: readonly T[]): T[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}
