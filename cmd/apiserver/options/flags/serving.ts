import { duration, objectName } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { namespacedName } from './values.js';

/** Options of the serving certificate that replicas of an aggregated server share. */
export const SERVING_FLAGS = {
  servingSecret: define({
    name: 'serving-secret',
    value: '<namespace/name>',
    description:
      'Secret in the cluster that holds the certificate authority and the serving certificate of all replicas. Created if absent or damaged. Aggregated mode only.',
    parse: namespacedName,
  }),
  service: define({
    name: 'service',
    value: '<namespace/name>',
    description:
      'Service whose DNS names the certificate in --serving-secret is issued for. (default: the name of the Secret)',
    parse: namespacedName,
  }),
  apiService: define({
    name: 'api-service',
    value: '<name>',
    description: 'APIService whose caBundle the server sets to the authorities in --serving-secret.',
    parse: objectName,
  }),
  servingCertificateLife: defaulted({
    name: 'serving-certificate-life',
    value: '<duration>',
    description:
      'Lifetime of the certificates in --serving-secret. They are renewed when a third of it is left.',
    fallback: '2160h0m0s',
    parse: duration,
  }),
  servingAuthorityLife: defaulted({
    name: 'serving-authority-life',
    value: '<duration>',
    description:
      'Lifetime of the authority in --serving-secret, at least three times that of its certificates. When a third of it is left, the next authority is published beside it, and signs a minute later.',
    fallback: '8760h0m0s',
    parse: duration,
  }),
} as const;
