/** The order of options in help. */
import { AUDIT_FLAGS } from './auditflags.js';
import { BACKUP_FLAGS } from './backupflags.js';
import { CLUSTER_FLAGS } from './clusterflags.js';
import { CONSOLE_FLAGS } from './consoleflags.js';
import { DELEGATED_FLAGS } from './delegatedflags.js';
import { ENCRYPTION_FLAGS } from './encryptionflags.js';
import { ISSUER_FLAGS } from './issuerflags.js';
import { KUBECONFIG_FLAGS } from './kubeconfigflags.js';
import { LOGIN_FLAGS } from './loginflags.js';
import { MODE_FLAGS } from './modeflags.js';
import type { FlagName } from './flags.js';
import { SERVING_FLAGS } from './servingflags.js';

const keys = (...groups: readonly object[]): string[] => groups.flatMap(Object.keys);

/** Headings with the options below them, both in the order of help. */
export const HELP_GROUPS: readonly (readonly [heading: string, options: readonly string[]])[] = [
  ['Serving:', ['bindAddress', 'securePort', 'workers', 'certDir', 'tlsCertFile', 'tlsPrivateKeyFile']],
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
  ['Aggregated mode (behind the API server of a cluster):', keys(MODE_FLAGS, SERVING_FLAGS, DELEGATED_FLAGS)],
];

/** Every option, in the order of help; options without a group are last. */
export function inHelpOrder(all: readonly FlagName[]): { heading: string | undefined; option: FlagName }[] {
  const listed = HELP_GROUPS.flatMap(([heading, options]) =>
    all.filter((one) => options.includes(one)).map((option) => ({ heading, option })),
  );
  const rest = all.filter((one) => !listed.some(({ option }) => option === one));
  return [...listed, ...rest.map((option) => ({ heading: undefined, option }))];
}
