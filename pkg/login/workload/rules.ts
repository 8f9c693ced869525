/** Which rule a token's claims fit: pure functions. */
import type { WorkloadIdentity, WorkloadRule } from './interface.js';

const TAIL = '/*';

/** The first rule all of whose claims the token has; undefined: it comes to nothing here. */
export const ruleFor = ({ issuer, claims }: WorkloadIdentity): WorkloadRule | undefined =>
  issuer.rules.find((rule) =>
    Object.entries(rule.claims).every(([name, wanted]) => fits(wanted, claims, name)),
  );

/** Texts, numbers and booleans alone are compared, as they are written: a list or an object fits nothing. */
function fits(wanted: string, claims: Readonly<Record<string, unknown>>, name: string): boolean {
  if (!Object.hasOwn(claims, name)) return false;
  const value = claims[name];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false;
  const text = String(value);
  if (!wanted.endsWith(TAIL)) return text === wanted;
  const begin = wanted.slice(0, -1);
  return text.length > begin.length && text.startsWith(begin);
}
