import type { LoginSettings } from '../../../pkg/management/login/interface.js';
import { readFlagFile } from './flagfiles.js';
import type { Options } from './options.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';

export interface LoginConfig {
  /** The URL for users; undefined: the server's own. */
  readonly externalUrl: string | undefined;
  /** Undefined: there is no login. */
  readonly provider: LoginSettings | undefined;
}

/** Throws StartError. */
export function loginOf(options: Options): LoginConfig {
  const { externalUrl, oidcIssuerUrl: issuer, oidcClientId: clientId } = options;
  const { oidcClientSecretFile: secretFile, oidcCaFile: caFile, oidcScopes: scopes } = options;
  if ((issuer === undefined) !== (clientId === undefined))
    throw new StartError('--oidc-issuer-url and --oidc-client-id must be given together');
  if (issuer === undefined || clientId === undefined) {
    const invalid =
      secretFile !== undefined ? 'oidc-client-secret-file' : caFile !== undefined ? 'oidc-ca-file' : '';
    if (invalid !== '') throw new StartError(`--${invalid} requires --oidc-issuer-url`);
    return { externalUrl, provider: undefined };
  }
  if (options.mode === 'aggregated' && options.oidcUsernamePrefix === undefined)
    throw new StartError(
      "--oidc-username-prefix must be given with --oidc-issuer-url in aggregated mode, such as oidc-: without it, people could have the name of a user of the cluster, and that user's rights",
    );
  if (options.mode === 'aggregated' && (options.oidcGroupsPrefix ?? '') === '')
    throw new StartError(
      '--oidc-groups-prefix must be given with --oidc-issuer-url in aggregated mode, such as oidc:: without it, groups of the provider could be groups of the cluster, with their rights',
    );
  if (!scopes.includes('openid')) throw new StartError('--oidc-scopes must have openid');
  return {
    externalUrl,
    provider: {
      issuer,
      clientId,
      clientSecret:
        secretFile === undefined ? undefined : readFlagFile('oidc-client-secret-file', secretFile).trim(),
      authorities: caFile === undefined ? undefined : readFlagFile('oidc-ca-file', caFile),
      scopes,
      usernameClaim: options.oidcUsernameClaim,
      usernamePrefix: options.oidcUsernamePrefix ?? '',
      groupsClaim: options.oidcGroupsClaim,
      groupsPrefix: options.oidcGroupsPrefix ?? '',
      requiredClaims: options.oidcRequiredClaim ?? {},
      keyTtlSeconds: Math.floor(options.oidcKeyTtl / 1000),
    },
  };
}
