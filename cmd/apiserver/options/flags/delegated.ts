import { boolean } from '../../../../pkg/apimachinery/flagvalues.js';
import { ISSUER_CONFIGURATION, ISSUER_KEYS } from '../../../../pkg/server/routes/issuerpaths.js';
import { defaulted, define } from './flag.js';
import { delay, headerList, nameList, pathList, text } from './values.js';

/**
 * Options of delegated authentication and authorization, in aggregated mode, with the names of
 * `k8s.io/apiserver/pkg/server/options`.
 */
export const DELEGATED_FLAGS = {
  requestheaderClientCaFile: define({
    name: 'requestheader-client-ca-file',
    value: '<file>',
    description:
      'File with the certificate authorities of front proxies, PEM, read again every ten seconds. If set, it and the next five flags replace the request-header settings of the ConfigMap extension-apiserver-authentication.',
    parse: text,
  }),
  requestheaderAllowedNames: define({
    name: 'requestheader-allowed-names',
    value: '<names>',
    description:
      'Comma-separated common names that front proxy certificates may have. Requires --requestheader-client-ca-file. (default: any)',
    parse: nameList,
  }),
  requestheaderUsernameHeaders: defaulted({
    name: 'requestheader-username-headers',
    value: '<headers>',
    description:
      'Comma-separated headers to read the user name from; the first that is not empty is used. Requires --requestheader-client-ca-file.',
    fallback: 'x-remote-user',
    parse: headerList,
  }),
  requestheaderUidHeaders: defaulted({
    name: 'requestheader-uid-headers',
    value: '<headers>',
    description:
      'Comma-separated headers to read the UID of the user from. Requires --requestheader-client-ca-file.',
    fallback: 'x-remote-uid',
    parse: headerList,
  }),
  requestheaderGroupHeaders: defaulted({
    name: 'requestheader-group-headers',
    value: '<headers>',
    description:
      'Comma-separated headers to read the groups of the user from, one group in each. Requires --requestheader-client-ca-file.',
    fallback: 'x-remote-group',
    parse: headerList,
  }),
  requestheaderExtraHeadersPrefix: defaulted({
    name: 'requestheader-extra-headers-prefix',
    value: '<prefixes>',
    description:
      'Comma-separated prefixes of the headers with extra attributes of the user. The key follows the prefix, percent-encoded. Requires --requestheader-client-ca-file.',
    fallback: 'x-remote-extra-',
    parse: headerList,
  }),
  authenticationSkipLookup: defaulted({
    name: 'authentication-skip-lookup',
    value: '[true|false]',
    description:
      'Do not read the ConfigMap extension-apiserver-authentication. Only flags configure authentication then.',
    fallback: 'false',
    parse: boolean,
  }),
  authenticationTolerateLookupFailure: defaulted({
    name: 'authentication-tolerate-lookup-failure',
    value: '[true|false]',
    description:
      'Start serving even if the ConfigMap extension-apiserver-authentication cannot be read; the headers of front proxies are ignored until it can. By default the server waits until it can.',
    fallback: 'false',
    parse: boolean,
  }),
  authenticationTokenWebhookCacheTtl: defaulted({
    name: 'authentication-token-webhook-cache-ttl',
    value: '<duration>',
    description: 'How long TokenReview answers are cached. 0s: not at all.',
    fallback: '1s',
    parse: delay,
  }),
  authorizationAlwaysAllowPaths: defaulted({
    name: 'authorization-always-allow-paths',
    value: '<paths>',
    description:
      'Comma-separated paths that need no authorization. A path that ends in * matches every path with that prefix.',
    fallback: `/healthz,/readyz,/livez,${ISSUER_CONFIGURATION},${ISSUER_KEYS}`,
    parse: pathList,
  }),
  authorizationWebhookCacheAuthorizedTtl: defaulted({
    name: 'authorization-webhook-cache-authorized-ttl',
    value: '<duration>',
    description:
      'How long SubjectAccessReview answers that allow a request are cached. A change of roles or bindings in the cluster clears the cache. 0s: no cache.',
    fallback: '5s',
    parse: delay,
  }),
  authorizationWebhookCacheUnauthorizedTtl: defaulted({
    name: 'authorization-webhook-cache-unauthorized-ttl',
    value: '<duration>',
    description:
      'How long SubjectAccessReview answers that deny a request are cached. A change of roles or bindings in the cluster clears the cache. 0s: no cache.',
    fallback: '5s',
    parse: delay,
  }),
} as const;
