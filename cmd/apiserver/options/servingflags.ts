import { objectName } from '../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { duration, namespacedName } from './flagvalues.js';

/** Options of the certificates that replicas in a cluster keep there together. */
export const SERVING_FLAGS = {
  servingSecret: define({
    name: 'serving-secret',
    value: '<namespace/name>',
    description:
      'Keep a certificate authority and the serving certificate in this Secret of the cluster, in aggregated mode; made when absent.',
    parse: namespacedName,
  }),
  service: define({
    name: 'service',
    value: '<namespace/name>',
    description:
      'The Service under whose names the certificate of --serving-secret is good. (default: the name of the Secret)',
    parse: namespacedName,
  }),
  apiService: define({
    name: 'api-service',
    value: '<name>',
    description: 'The APIService whose caBundle is kept as the authorities of --serving-secret are.',
    parse: objectName,
  }),
  servingCertificateLife: defaulted({
    name: 'serving-certificate-life',
    value: '<duration>',
    description: 'How long certificates of --serving-secret live; a third before that they are replaced.',
    fallback: '2160h0m0s',
    parse: duration,
  }),
  servingAuthorityLife: defaulted({
    name: 'serving-authority-life',
    value: '<duration>',
    description:
      'How long the authority of --serving-secret lives, at least three times as long as certificates; a third before that the next one takes over.',
    fallback: '8760h0m0s',
    parse: duration,
  }),
} as const;
