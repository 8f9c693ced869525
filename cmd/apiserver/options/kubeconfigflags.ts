import { defaulted, define } from './flag.js';
import { boolean, text } from './flagvalues.js';

/** Options of the administrator's kubeconfig. */
export const KUBECONFIG_FLAGS = {
  writeKubeconfig: define({
    name: 'write-kubeconfig',
    value: '<file>',
    description:
      "Keep an administrator's kubeconfig in this file. One whose key is still valid stays; else a new key replaces the old one. A file that the server did not write is never replaced.",
    parse: text,
  }),
  overwriteKubeconfig: defaulted({
    name: 'overwrite-kubeconfig',
    value: '[true|false]',
    description: 'Let --write-kubeconfig replace a file that the server did not write.',
    fallback: 'false',
    parse: boolean,
  }),
} as const;
