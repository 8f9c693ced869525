/** The order of options in help. */
import { AUDIT_FLAGS } from './flags/audit.js';
import { BACKUP_FLAGS } from './flags/backup.js';
import { CLUSTER_FLAGS } from './flags/cluster.js';
import { CONSOLE_FLAGS } from './flags/console.js';
import { ENCRYPTION_FLAGS } from './flags/encryption.js';
import { ISSUER_FLAGS } from './flags/issuer.js';
import { KUBECONFIG_FLAGS } from './flags/kubeconfig.js';
import { LOGIN_FLAGS } from './flags/login.js';
import { MODE_FLAGS } from './flags/mode.js';
import type { FlagName } from './flags/flags.js';
import { SERVING_FLAGS } from './flags/serving.js';

const keys = (...groups: readonly object[]): string[] => groups.flatMap(Object.keys);

/** Headings with the options below them, both in the order of help. */
export const HELP_GROUPS: readonly (readonly [heading: string, options: readonly string[]])[] = [
  ['Serving:', ['bindAddress', 'securePort', 'workers', 'tlsCertFile', 'tlsPrivateKeyFile']],
  [
    'State:',
    [
      ...keys({ dataDir: 0 }, KUBECONFIG_FLAGS),
      'etcdServers',
      'etcdPrefix',
      'etcdCafile',
      'etcdCertfile',
      'etcdKeyfile',
      ...keys(ENCRYPTION_FLAGS, BACKUP_FLAGS),
    ],
  ],
  ['Authentication and tokens:', ['clientCaFile', 'tokenAuthFile', 'anonymousAuth', ...keys(ISSUER_FLAGS)]],
  ['Login:', keys(LOGIN_FLAGS, CONSOLE_FLAGS)],
  [
    'Admission and controllers:',
    [
      'controllers',
      'enableAdmissionPlugins',
      'disableAdmissionPlugins',
      'eventTtl',
      'accessKeyRetention',
      'projectNamespacePrefix',
      ...keys(CLUSTER_FLAGS),
    ],
  ],
  ['Limits:', ['maxRequestsInflight', 'maxMutatingRequestsInflight', 'maxWatches', 'shutdownDelayDuration']],
  ['Audit, logging and tracing:', ['v', 'tracingConfigFile', ...keys(AUDIT_FLAGS)]],
  ['Aggregated mode (behind the API server of a cluster):', keys(MODE_FLAGS, SERVING_FLAGS)],
];

/** Every option, in the order of help; options without a group are last. */
export function inHelpOrder(all: readonly FlagName[]): { heading: string | undefined; option: FlagName }[] {
  const listed = HELP_GROUPS.flatMap(([heading, options]) =>
    all.filter((one) => options.includes(one)).map((option) => ({ heading, option })),
  );
  const rest = all.filter((one) => !listed.some(({ option }) => option === one));
  return [...listed, ...rest.map((option) => ({ heading: undefined, option }))];
}
