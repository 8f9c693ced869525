import { durationBetween } from '../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { text } from './flagvalues.js';

/** Options of encryption at rest. */
export const ENCRYPTION_FLAGS = {
  encryptionKeyFile: define({
    name: 'encryption-key-file',
    value: '<file>',
    description:
      'Keys that encrypt secrets in the store, the same for all servers of a store; made when absent. Keep a copy: without it the store cannot be read. (default: management-apiserver/encryption.key in $XDG_CONFIG_HOME or ~/.config)',
    parse: text,
  }),
  encryptionProviderConfig: define({
    name: 'encryption-provider-config',
    value: '<file>',
    description:
      "Kubernetes' EncryptionConfiguration, with the providers kms (version 2), aesgcm, secretbox and identity: it says what is encrypted with which key instead. Keys of --encryption-key-file still decrypt.",
    parse: text,
  }),
  encryptionDelay: defaulted({
    name: 'encryption-delay',
    value: '<duration>',
    description:
      'How long nothing is encrypted in an etcd that has data from before encryption: servers of an earlier release cannot read what is, and have to be replaced meanwhile.',
    fallback: '10m0s',
    parse: durationBetween('0s', '24h'),
  }),
} as const;
