import { define } from './flag.js';
import { text } from './values.js';

/** Options of the administrator's kubeconfig. */
export const KUBECONFIG_FLAGS = {
  writeKubeconfig: define({
    name: 'write-kubeconfig',
    value: '<file>',
    description:
      "File to write an administrator's kubeconfig to. A file whose key is still valid is left as it is; otherwise a new key replaces the old one. A file that the server did not write is not replaced. (default: admin.kubeconfig in the default --data-dir, if neither that nor --etcd-servers is set)",
    parse: text,
  }),
} as const;
