import { defaulted, define } from './flag.js';
import { boolean, delay, headerList, nameList, pathList, text } from './flagvalues.js';

/** Options of asking the cluster who a client is and what it may do, in aggregated mode; named as in Kubernetes. */
export const DELEGATED_FLAGS = {
  requestheaderClientCaFile: define({
    name: 'requestheader-client-ca-file',
    value: '<file>',
    description:
      "Believe the headers of front proxies of these authorities, PEM, and not what the cluster's ConfigMap extension-apiserver-authentication says of them.",
    parse: text,
  }),
  requestheaderAllowedNames: define({
    name: 'requestheader-allowed-names',
    value: '<names>',
    description:
      'Common names that certificates of front proxies may have, with --requestheader-client-ca-file. (default: any)',
    parse: nameList,
  }),
  requestheaderUsernameHeaders: defaulted({
    name: 'requestheader-username-headers',
    value: '<headers>',
    description: 'Headers that name the user, with --requestheader-client-ca-file.',
    fallback: 'x-remote-user',
    parse: headerList,
  }),
  requestheaderUidHeaders: defaulted({
    name: 'requestheader-uid-headers',
    value: '<headers>',
    description: 'Headers with the uid of the user, with --requestheader-client-ca-file.',
    fallback: 'x-remote-uid',
    parse: headerList,
  }),
  requestheaderGroupHeaders: defaulted({
    name: 'requestheader-group-headers',
    value: '<headers>',
    description: 'Headers that name groups of the user, with --requestheader-client-ca-file.',
    fallback: 'x-remote-group',
    parse: headerList,
  }),
  requestheaderExtraHeadersPrefix: defaulted({
    name: 'requestheader-extra-headers-prefix',
    value: '<prefixes>',
    description: 'What headers with more on the user begin with, with --requestheader-client-ca-file.',
    fallback: 'x-remote-extra-',
    parse: headerList,
  }),
  authenticationSkipLookup: defaulted({
    name: 'authentication-skip-lookup',
    value: '[true|false]',
    description: 'Do not read the ConfigMap extension-apiserver-authentication: what flags say is all.',
    fallback: 'false',
    parse: boolean,
  }),
  authenticationTolerateLookupFailure: defaulted({
    name: 'authentication-tolerate-lookup-failure',
    value: '[true|false]',
    description:
      'Serve although that ConfigMap cannot be read yet: until it can, no front proxy is believed.',
    fallback: 'false',
    parse: boolean,
  }),
  authenticationTokenWebhookCacheTtl: defaulted({
    name: 'authentication-token-webhook-cache-ttl',
    value: '<duration>',
    description: "How long the cluster's answer counts whose a token is; 0s: asked each time.",
    fallback: '1s',
    parse: delay,
  }),
  authorizationAlwaysAllowPaths: defaulted({
    name: 'authorization-always-allow-paths',
    value: '<paths>',
    description: 'Paths that everybody may ask for; one that ends with * means all that begins so.',
    fallback: '/healthz,/readyz,/livez',
    parse: pathList,
  }),
  authorizationWebhookCacheAuthorizedTtl: defaulted({
    name: 'authorization-webhook-cache-authorized-ttl',
    value: '<duration>',
    description:
      "How long the cluster's answer counts that something is allowed, unless its roles or bindings change; 0s: asked each time.",
    fallback: '5s',
    parse: delay,
  }),
  authorizationWebhookCacheUnauthorizedTtl: defaulted({
    name: 'authorization-webhook-cache-unauthorized-ttl',
    value: '<duration>',
    description:
      "How long the cluster's answer counts that something is not allowed, unless its roles or bindings change; 0s: asked each time.",
    fallback: '5s',
    parse: delay,
  }),
} as const;
