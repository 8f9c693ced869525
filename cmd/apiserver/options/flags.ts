import { namePrefix, wholeNumber } from '../../../pkg/apimachinery/flagvalues.js';
import { parseControllers } from '../../../pkg/controllers/names.js';
import { defaulted, define } from './flag.js';
import { DEFAULT_SETTINGS } from '../../../pkg/registry/settings.js';
import { address, boolean, delay, duration, endpoints, keyPrefix, pluginNames, text } from './flagvalues.js';
import { AUDIT_FLAGS } from './auditflags.js';
import { BACKUP_FLAGS } from './backupflags.js';
import { CONSOLE_FLAGS } from './consoleflags.js';
import { CLUSTER_FLAGS } from './clusterflags.js';
import { ENCRYPTION_FLAGS } from './encryptionflags.js';
import { DELEGATED_FLAGS } from './delegatedflags.js';
import { KUBECONFIG_FLAGS } from './kubeconfigflags.js';
import { ISSUER_FLAGS } from './issuerflags.js';
import { LOGIN_FLAGS } from './loginflags.js';
import { SERVING_FLAGS } from './servingflags.js';
import { MODE_FLAGS } from './modeflags.js';

/** Every option, in the order of help. */
export const FLAGS = {
  ...MODE_FLAGS,
  bindAddress: define({
    name: 'bind-address',
    value: '<ip>',
    description:
      'Address to listen on; 0.0.0.0 or :: for all. (default: 127.0.0.1; 0.0.0.0 in aggregated mode)',
    parse: address,
  }),
  securePort: defaulted({
    name: 'secure-port',
    value: '<port>',
    description: 'Port to listen on, HTTPS only; 0 takes a free one.',
    fallback: '6443',
    parse: wholeNumber(0, 65_535),
  }),
  dataDir: define({
    name: 'data-dir',
    value: '<directory>',
    description:
      'Where the embedded store and the certificates are kept; made when absent. (default: management-apiserver in $XDG_STATE_HOME, else in /var/lib for root and in ~/.local/state for others; in aggregated mode nothing is kept)',
    parse: text,
  }),
  ...KUBECONFIG_FLAGS,
  etcdServers: define({
    name: 'etcd-servers',
    value: '<urls>',
    description: 'Keep state in etcd at these URLs, separated by commas, instead of the embedded store.',
    parse: endpoints,
  }),
  etcdPrefix: defaulted({
    name: 'etcd-prefix',
    value: '<prefix>',
    description: 'Key prefix in etcd; servers with the same prefix share their state.',
    fallback: '/management',
    parse: keyPrefix,
  }),
  etcdCafile: define({
    name: 'etcd-cafile',
    value: '<file>',
    description: "Certificate authority of etcd's certificates, PEM.",
    parse: text,
  }),
  etcdCertfile: define({
    name: 'etcd-certfile',
    value: '<file>',
    description: 'Client certificate for etcd, PEM; needs --etcd-keyfile.',
    parse: text,
  }),
  etcdKeyfile: define({
    name: 'etcd-keyfile',
    value: '<file>',
    description: 'Private key of --etcd-certfile, PEM.',
    parse: text,
  }),
  certDir: define({
    name: 'cert-dir',
    value: '<directory>',
    description: 'Where the generated serving certificate is kept. (default: pki in --data-dir)',
    parse: text,
  }),
  tlsCertFile: define({
    name: 'tls-cert-file',
    value: '<file>',
    description:
      'Serve with this certificate, PEM, instead of a generated one; needs --tls-private-key-file.',
    parse: text,
  }),
  tlsPrivateKeyFile: define({
    name: 'tls-private-key-file',
    value: '<file>',
    description: 'Private key of --tls-cert-file, PEM.',
    parse: text,
  }),
  ...SERVING_FLAGS,
  clientCaFile: define({
    name: 'client-ca-file',
    value: '<file>',
    description:
      'Accept client certificates of these authorities, PEM: the common name is the user, organizations are groups.',
    parse: text,
  }),
  tokenAuthFile: define({
    name: 'token-auth-file',
    value: '<file>',
    description: 'Accept the bearer tokens of this file, CSV: token,user,uid,"group1,group2".',
    parse: text,
  }),
  anonymousAuth: defaulted({
    name: 'anonymous-auth',
    value: '[true|false]',
    description:
      'Let requests without credentials through as system:anonymous, who may read health and version.',
    fallback: 'true',
    parse: boolean,
  }),
  ...DELEGATED_FLAGS,
  ...ISSUER_FLAGS,
  ...LOGIN_FLAGS,
  ...CONSOLE_FLAGS,
  ...CLUSTER_FLAGS,
  controllers: defaulted({
    name: 'controllers',
    value: '<names>',
    description:
      "Controllers to run, separated by commas: * all, a name, -name without it; names as kube-controller-manager's.",
    fallback: '*',
    parse: parseControllers,
  }),
  maxRequestsInflight: defaulted({
    name: 'max-requests-inflight',
    value: '<count>',
    description: 'Read so much at a time, big lists counting more than once; 0: any number.',
    fallback: '400',
    parse: wholeNumber(0, 1_000_000),
  }),
  maxMutatingRequestsInflight: defaulted({
    name: 'max-mutating-requests-inflight',
    value: '<count>',
    description: 'Serve so many writes at a time; 0: any number.',
    fallback: '200',
    parse: wholeNumber(0, 1_000_000),
  }),
  maxWatches: defaulted({
    name: 'max-watches',
    value: '<count>',
    description: 'Keep so many watches open, at most an eighth of them for one user; 0: any number.',
    fallback: '20000',
    parse: wholeNumber(0, 10_000_000),
  }),
  ...ENCRYPTION_FLAGS,
  ...BACKUP_FLAGS,
  ...AUDIT_FLAGS,
  enableAdmissionPlugins: define({
    name: 'enable-admission-plugins',
    value: '<names>',
    description: 'Admission plugins to run besides those that run by default: NamespaceAutoProvision.',
    parse: pluginNames,
  }),
  disableAdmissionPlugins: define({
    name: 'disable-admission-plugins',
    value: '<names>',
    description:
      'Admission plugins not to run, separated by commas: NamespaceLifecycle, OwnerReferencesPermissionEnforcement, ProjectQuota.',
    parse: pluginNames,
  }),
  eventTtl: defaulted({
    name: 'event-ttl',
    value: '<duration>',
    description: 'How long events are kept after they were last written, such as 90m or 1h30m.',
    fallback: '1h0m0s',
    parse: duration,
  }),
  accessKeyRetention: defaulted({
    name: 'access-key-retention',
    value: '<duration>',
    description: 'How long access keys are kept after they ended.',
    fallback: '24h0m0s',
    parse: duration,
  }),
  projectNamespacePrefix: defaulted({
    name: 'project-namespace-prefix',
    value: '<prefix>',
    description:
      'What the namespaces of projects begin with. Not to be changed once there are projects; the same for all servers of a store.',
    fallback: DEFAULT_SETTINGS.projectNamespacePrefix,
    parse: namePrefix,
  }),
  shutdownDelayDuration: defaulted({
    name: 'shutdown-delay-duration',
    value: '<duration>',
    description:
      'When told to stop, go on serving for so long while /readyz fails, so that load balancers look elsewhere first.',
    fallback: '0s',
    parse: delay,
  }),
  v: defaulted({
    name: 'v',
    value: '<level>',
    description: 'Verbosity of the log, 0 to 10: 2 adds a line for every request, 4 tells its client, too.',
    fallback: '0',
    parse: wholeNumber(0, 10),
  }),
} as const;
