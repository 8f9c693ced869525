/** Names as steps of a path (`k8s.io/apimachinery/pkg/api/validation/path`). */
import { badRequest, quote } from '../apimachinery/errors.js';

/** Why a name cannot be a step of a path; undefined when it can. */
export function nameFault(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  if (name.includes('/')) return "may not contain '/'";
  return name.includes('%') ? "may not contain '%'" : undefined;
}

/** Throws StatusError 400 for a path with an empty step, and for names that cannot be steps. */
export function checkPathNames({
  path,
  namespace,
  name,
}: {
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
}): void {
  if (/\/\/[^/]/.test(path)) {
    throw badRequest(`${namespace === '' ? 'Namespace' : 'Name'} parameter required.`);
  }
  const fault = nameFault(name);
  if (fault !== undefined) throw badRequest(`Name parameter invalid: ${quote(name)}: ${fault}`);
}
