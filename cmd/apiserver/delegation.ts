import type { RequestHeaderSettings } from '../../pkg/authentication/requestheader/settings.js';
import type { Options } from './options.js';
import { StartError } from './starterror.js';

/** How the cluster is asked who a client is and what it may do. */
export interface DelegationConfig {
  /** Instead of what the cluster says; undefined: what it says. */
  readonly clientCaFile: string | undefined;
  readonly proxy: OwnProxy | undefined;
  readonly skipLookup: boolean;
  readonly tolerateLookupFailure: boolean;
  /** In ms, as the next two. */
  readonly tokenTtlMs: number;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly alwaysAllowedPaths: readonly string[];
}

type OwnProxy = Omit<RequestHeaderSettings, 'authorities'> & { readonly caFile: string };

/** Throws StartError. */
export function delegationOf(options: Options): DelegationConfig {
  return {
    clientCaFile: options.clientCaFile,
    proxy: proxyOf(options),
    skipLookup: options.authenticationSkipLookup,
    tolerateLookupFailure: options.authenticationTolerateLookupFailure,
    tokenTtlMs: options.authenticationTokenWebhookCacheTtl,
    authorizedTtlMs: options.authorizationWebhookCacheAuthorizedTtl,
    unauthorizedTtlMs: options.authorizationWebhookCacheUnauthorizedTtl,
    alwaysAllowedPaths: options.authorizationAlwaysAllowPaths,
  };
}

function proxyOf(options: Options): OwnProxy | undefined {
  const { requestheaderClientCaFile: caFile, requestheaderAllowedNames: allowedNames } = options;
  if (caFile === undefined && allowedNames !== undefined)
    throw new StartError('--requestheader-allowed-names has no use without --requestheader-client-ca-file');
  if (caFile === undefined) return undefined;
  return {
    caFile,
    allowedNames: allowedNames ?? [],
    usernameHeaders: options.requestheaderUsernameHeaders,
    uidHeaders: options.requestheaderUidHeaders,
    groupHeaders: options.requestheaderGroupHeaders,
    extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix,
  };
}
