import type { LoginSettings } from '../../../pkg/management/login/interface.js';
import { parseLoginConfig } from '../../../pkg/management/login/parseconfig.js';
import { parseFlagYaml } from './flagfiles.js';
import type { Options } from './options.js';

export interface LoginConfig {
  /** The URL for users; undefined: the server's own. */
  readonly externalUrl: string | undefined;
  /** Undefined: there is no login. */
  readonly provider: LoginSettings | undefined;
}

/** Throws StartError. */
export function loginOf({ externalUrl, loginConfig: path, mode }: Options): LoginConfig {
  if (path === undefined) return { externalUrl, provider: undefined };
  const provider = parseFlagYaml('login-config', path, (document, read) => {
    const settings = parseLoginConfig(document, read);
    if (mode === 'aggregated') requirePrefixes(settings);
    return settings;
  });
  return { externalUrl, provider };
}

function requirePrefixes({ usernamePrefix, groupsPrefix }: LoginSettings): void {
  if (usernamePrefix === '')
    throw new Error(
      "claimMappings.username.prefix: it must be given in aggregated mode, such as oidc-: without it, people could have the name of a user of the cluster, and that user's rights",
    );
  if (groupsPrefix === '')
    throw new Error(
      'claimMappings.groups.prefix: it must be given in aggregated mode, such as oidc:: without it, groups of the provider could be groups of the cluster, with their rights',
    );
}
