import type { Authorizer, Decision } from './interface.js';

const ALLOWED: Decision = { allowed: true };
const NO_OPINION: Decision = { allowed: false, reason: '' };

/**
 * Paths that all users may get, such as those of probes (`k8s.io/apiserver/pkg/authorization/path`). A trailing `*`
 * matches any suffix.
 */
export function alwaysAllowedPaths(paths: readonly string[]): Authorizer {
  const exact = new Set(paths.filter((path) => !path.endsWith('*')).map(trimmed));
  const prefixes = paths.filter((path) => path.endsWith('*')).map((path) => trimmed(path.slice(0, -1)));
  return {
    authorize(_user, attributes) {
      if (attributes.kind !== 'path') return NO_OPINION;
      const path = trimmed(attributes.path);
      return exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)) ? ALLOWED : NO_OPINION;
    },
    visible: () => ({ objects: 'none' }),
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

const trimmed = (path: string): string => path.replace(/^\//, '');
