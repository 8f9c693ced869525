import type { Authorizer, Decision } from './interface.js';

const ALLOWED: Decision = { allowed: true };
const NO_OPINION: Decision = { allowed: false, reason: '' };

/** Paths that all users may get, such as those of probes (`k8s.io/apiserver/pkg/authorization/path`). */
export function alwaysAllowedPaths(paths: readonly string[]): Authorizer {
  const allowed = new Set(paths);
  return {
    authorize: (_user, attributes) =>
      attributes.kind === 'path' && allowed.has(attributes.path) ? ALLOWED : NO_OPINION,
    visible: () => ({ objects: 'none' }),
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}
