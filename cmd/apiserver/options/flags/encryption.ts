import { define } from './flag.js';
import { text } from './values.js';

/** Options of encryption at rest. */
export const ENCRYPTION_FLAGS = {
  encryptionKeyFile: define({
    name: 'encryption-key-file',
    value: '<file>',
    description:
      'File with the keys that encrypt secrets in the store. All servers of a store need the same file. Created if absent. Keep a copy: without it the store cannot be read. (default: management-apiserver/encryption.key in $XDG_CONFIG_HOME or ~/.config)',
    parse: text,
  }),
  encryptionProviderConfig: define({
    name: 'encryption-provider-config',
    value: '<file>',
    description:
      'File with a Kubernetes EncryptionConfiguration (providers kms v2, aesgcm, secretbox and identity). It then chooses what is encrypted and with which key. The keys in --encryption-key-file still decrypt.',
    parse: text,
  }),
} as const;
