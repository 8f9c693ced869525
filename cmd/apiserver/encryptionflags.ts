import { define } from './flag.js';
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
} as const;
