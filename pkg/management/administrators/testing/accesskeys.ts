/** Administrators' access keys in memory. */
import type { AdminAccessKeys } from '../adminkubeconfig.js';

/** `objects`: name to key. Each has the uid `uid-of-<name>`. */
export function fakeAccessKeys(objects: () => Map<string, string>): AdminAccessKeys {
  let made = 0;
  const find = (token: string): string | undefined => [...objects()].find(([, key]) => key === token)?.[0];
  return {
    isInForce: (token) => find(token) !== undefined,
    newName: () => `key-${++made}`,
    create: async (name, token) => {
      objects().set(name, token);
      return `uid-of-${name}`;
    },
    remove: async (name) => void objects().delete(name),
  };
}
