import {
  address,
  boolean,
  duration,
  namePrefix,
  wholeNumber,
} from '../../../../pkg/apimachinery/flagvalues.js';
import { parseControllers } from '../../../../pkg/management/controllernames.js';
import { defaulted, define } from './flag.js';
import { DEFAULT_SETTINGS } from '../../../../pkg/management/settings.js';
import { delay, endpoints, keyPrefix, pluginNames, text } from './values.js';
import { AUDIT_FLAGS } from './audit.js';
import { BACKUP_FLAGS } from './backup.js';
import { CONSOLE_FLAGS } from './console.js';
import { CLUSTER_FLAGS } from './cluster.js';
import { ENCRYPTION_FLAGS } from './encryption.js';
import { KUBECONFIG_FLAGS } from './kubeconfig.js';
import { ISSUER_FLAGS } from './issuer.js';
import { LOGIN_FLAGS } from './login.js';
import { SERVING_FLAGS } from './serving.js';
import { MODE_FLAGS } from './mode.js';

/** Every option, in the order of help. */
export const FLAGS = {
  ...MODE_FLAGS,
  bindAddress: define({
    name: 'bind-address',
    value: '<ip>',
    description:
      'IP address to listen on, 0.0.0.0 or :: for all interfaces. (default: 127.0.0.1; 0.0.0.0 in aggregated mode)',
    parse: address,
  }),
  securePort: defaulted({
    name: 'secure-port',
    value: '<port>',
    description: 'Port to serve HTTPS on. 0: any free port.',
    fallback: '6443',
    parse: wholeNumber(0, 65_535),
  }),
  dataDir: define({
    name: 'data-dir',
    value: '<directory>',
    description:
      'Directory of the embedded store and, in pki, of the generated serving certificate. Created if absent. Only one process can use it at a time. (default: management-apiserver in $XDG_STATE_HOME, else in /var/lib for root and in ~/.local/state for others; aggregated mode keeps no files)',
    parse: text,
  }),
  ...KUBECONFIG_FLAGS,
  etcdServers: define({
    name: 'etcd-servers',
    value: '<urls>',
    description:
      'Comma-separated URLs of servers of etcd 3.5.13 or newer. If set, state is kept in etcd and not in the embedded store.',
    parse: endpoints,
  }),
  etcdPrefix: defaulted({
    name: 'etcd-prefix',
    value: '<prefix>',
    description: 'Prefix of all keys in etcd. Servers with the same prefix share their state.',
    fallback: '/management',
    parse: keyPrefix,
  }),
  etcdCafile: define({
    name: 'etcd-cafile',
    value: '<file>',
    description:
      'File with the certificate authority of etcd, PEM. Read again when it changes, as the next two are.',
    parse: text,
  }),
  etcdCertfile: define({
    name: 'etcd-certfile',
    value: '<file>',
    description: 'File with the client certificate for etcd, PEM. Requires --etcd-keyfile.',
    parse: text,
  }),
  etcdKeyfile: define({
    name: 'etcd-keyfile',
    value: '<file>',
    description: 'File with the private key of --etcd-certfile, PEM.',
    parse: text,
  }),
  tlsCertFile: define({
    name: 'tls-cert-file',
    value: '<file>',
    description:
      'File with the serving certificate and its chain, PEM, in place of a generated one. Requires --tls-private-key-file.',
    parse: text,
  }),
  tlsPrivateKeyFile: define({
    name: 'tls-private-key-file',
    value: '<file>',
    description: 'File with the private key of --tls-cert-file, PEM. Both files are read again every minute.',
    parse: text,
  }),
  ...SERVING_FLAGS,
  clientCaFile: define({
    name: 'client-ca-file',
    value: '<file>',
    description:
      'File with the certificate authorities of client certificates, PEM. The common name of a certificate is the user, its organizations are the groups. In aggregated mode it replaces the authorities in the ConfigMap extension-apiserver-authentication.',
    parse: text,
  }),
  tokenAuthFile: define({
    name: 'token-auth-file',
    value: '<file>',
    description: 'File with static bearer tokens, CSV: token,user,uid,"group1,group2".',
    parse: text,
  }),
  anonymousAuth: defaulted({
    name: 'anonymous-auth',
    value: '[true|false]',
    description:
      'Allow requests without credentials, as the user system:anonymous. That user may read health, version and the public token keys. false: such requests get 401, except for those keys.',
    fallback: 'true',
    parse: boolean,
  }),
  ...ISSUER_FLAGS,
  ...LOGIN_FLAGS,
  ...CONSOLE_FLAGS,
  ...CLUSTER_FLAGS,
  controllers: defaulted({
    name: 'controllers',
    value: '<names>',
    description:
      'Comma-separated list of controllers to run: * for all, name for one, -name to leave one out. The names are those of kube-controller-manager.',
    fallback: '*',
    parse: parseControllers,
  }),
  workers: defaulted({
    name: 'workers',
    value: '<count>',
    description:
      'Answer requests with this many processes on one port and one store, in standalone mode; more than there are cores is of no use.',
    fallback: '1',
    parse: wholeNumber(1, 16),
  }),
  maxRequestsInflight: defaulted({
    name: 'max-requests-inflight',
    value: '<count>',
    description: 'Maximum number of read requests in flight. A large list counts as several. 0: no limit.',
    fallback: '400',
    parse: wholeNumber(0, 1_000_000),
  }),
  maxMutatingRequestsInflight: defaulted({
    name: 'max-mutating-requests-inflight',
    value: '<count>',
    description: 'Maximum number of mutating requests in flight. 0: no limit.',
    fallback: '200',
    parse: wholeNumber(0, 1_000_000),
  }),
  maxWatches: defaulted({
    name: 'max-watches',
    value: '<count>',
    description: 'Maximum number of open watches. One user may have an eighth of them. 0: no limit.',
    fallback: '20000',
    parse: wholeNumber(0, 10_000_000),
  }),
  ...ENCRYPTION_FLAGS,
  ...BACKUP_FLAGS,
  ...AUDIT_FLAGS,
  enableAdmissionPlugins: define({
    name: 'enable-admission-plugins',
    value: '<names>',
    description:
      'Comma-separated list of admission plugins to enable in addition to the default ones: NamespaceAutoProvision.',
    parse: pluginNames,
  }),
  disableAdmissionPlugins: define({
    name: 'disable-admission-plugins',
    value: '<names>',
    description:
      'Comma-separated list of admission plugins to disable: NamespaceLifecycle, OwnerReferencesPermissionEnforcement, ProjectQuota.',
    parse: pluginNames,
  }),
  eventTtl: defaulted({
    name: 'event-ttl',
    value: '<duration>',
    description: 'How long events (core/v1) are retained after their last write, such as 90m or 1h30m.',
    fallback: '1h0m0s',
    parse: duration,
  }),
  accessKeyRetention: defaulted({
    name: 'access-key-retention',
    value: '<duration>',
    description: 'How long expired access keys are retained.',
    fallback: '24h0m0s',
    parse: duration,
  }),
  projectNamespacePrefix: defaulted({
    name: 'project-namespace-prefix',
    value: '<prefix>',
    description:
      'Prefix of the namespaces of projects. All servers of a store need the same prefix. Do not change it once projects exist.',
    fallback: DEFAULT_SETTINGS.projectNamespacePrefix,
    parse: namePrefix,
  }),
  shutdownDelayDuration: defaulted({
    name: 'shutdown-delay-duration',
    value: '<duration>',
    description:
      'Time to keep serving after SIGTERM. /readyz fails during this time, so that load balancers stop sending requests. Then watches end, requests in flight are answered, and the process exits within ten seconds.',
    fallback: '0s',
    parse: delay,
  }),
  v: defaulted({
    name: 'v',
    value: '<level>',
    description:
      'Verbosity of the log, 0 to 10. 2 logs every request, 4 adds the client. Secret values are not logged at any level.',
    fallback: '0',
    parse: wholeNumber(0, 10),
  }),
  tracingConfigFile: define({
    name: 'tracing-config-file',
    value: '<file>',
    description:
      'File with an apiserver.config.k8s.io/v1 TracingConfiguration: requests are traced by OpenTelemetry, and the spans sent as OTLP over HTTP.',
    parse: text,
  }),
} as const;

export type Flags = typeof FLAGS;
export type FlagName = keyof Flags;

// FLAGS is declared above with exactly these names, which Object.keys cannot express.
export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];
