/** The keys that people got at a login, by user. */
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { LOGIN_KEYS } from '../../loginkeys.js';

export interface LoginKeys {
  /** Returns the user of the key; undefined: it is of no login. Keys that only the server makes count. */
  set(key: Pick<OwnedAccessKey, 'metadata' | 'spec'>, isThere: boolean): string | undefined;
  /** The names of the keys of a user. */
  of(user: string): Iterable<string>;
  /** Whether a key is left. An expired one is deleted later; the record of the login has the same end. */
  has(user: string): boolean;
  clear(): void;
}

export function createLoginKeys(): LoginKeys {
  const byUser = new Map<string, Set<string>>();
  return {
    set({ metadata, spec = {} }, isThere) {
      const { name = '', deletionTimestamp } = metadata;
      const { user = '' } = spec;
      if (user === '' || !name.startsWith(LOGIN_KEYS)) return undefined;
      const keys = byUser.get(user) ?? new Set();
      if (isThere && deletionTimestamp === undefined && spec.disabled !== true) {
        byUser.set(user, keys.add(name));
        return user;
      }
      keys.delete(name);
      if (keys.size === 0) byUser.delete(user);
      return user;
    },
    of: (user) => byUser.get(user) ?? [],
    has: (user) => byUser.has(user),
    clear: () => byUser.clear(),
  };
}
