import type { RequestHeaderSettings } from '../../../pkg/authentication/requestheader/settings.js';
import { FLAGS } from './flags/flags.js';
import type { Options } from './options.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';

/** How the cluster is asked for authentication and authorization. */
export interface DelegationConfig {
  /** Replaces the authorities of the cluster; undefined: those of the cluster. */
  readonly clientCaFile: string | undefined;
  readonly proxy: OwnProxy | undefined;
  readonly skipLookup: boolean;
  readonly tolerateLookupFailure: boolean;
  /** In ms, like the next two. */
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

const OF_OWN_PROXY = [
  'requestheaderAllowedNames',
  'requestheaderUsernameHeaders',
  'requestheaderUidHeaders',
  'requestheaderGroupHeaders',
  'requestheaderExtraHeadersPrefix',
] as const;

function proxyOf(options: Options): OwnProxy | undefined {
  const { requestheaderClientCaFile: caFile, requestheaderAllowedNames: allowedNames } = options;
  if (caFile === undefined) {
    const invalid = OF_OWN_PROXY.find((option) => options.given.has(option));
    if (invalid === undefined) return undefined;
    throw new StartError(`--${FLAGS[invalid].name} requires --requestheader-client-ca-file`);
  }
  return {
    caFile,
    allowedNames: allowedNames ?? [],
    usernameHeaders: options.requestheaderUsernameHeaders,
    uidHeaders: options.requestheaderUidHeaders,
    groupHeaders: options.requestheaderGroupHeaders,
    extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix,
  };
}
