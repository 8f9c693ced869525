import { join, resolve } from 'node:path';
import type { TokenLookup } from '../../../pkg/authentication/bearer.js';
import type { AuthorityBundle } from '../../../pkg/authentication/certificates/bundle.js';
import type { Network } from '../../../pkg/management/clusters/client/addresspolicy.js';
import type { Settings } from '../../../pkg/management/settings.js';
import type { Metrics } from '../../../pkg/server/metrics/metrics.js';
import type { StorageConfig } from '../../../pkg/management/upkeep/storageconfig.js';
import type { FlowLimits } from '../../../pkg/server/filters/flowcontrol/flowcontrol.js';
import type { PluginChoice } from '../../../pkg/management/pluginchoice.js';
import type { KeyPair } from '../../../pkg/pki/issue.js';
import type { EncryptionConfig } from '../../../pkg/management/upkeep/encryption/keys.js';
import { encryptionOf } from './encryption.js';
import type { BackupSchedule } from '../../../pkg/management/upkeep/parts.js';
import { backupsOf } from './backups.js';
import { hostOf, type HostConfig } from './hostconfig.js';
import { dataDirOf, kubeconfigOf } from './datadirectory.js';
import { authoritiesOf, ownCertificateOf, parseFlagYaml, readFlagFile, tokensOf } from './flagfiles.js';
import type { Flag } from './flags/flag.js';
import { FLAGS, FLAG_NAMES } from './flags/flags.js';
import type { Options } from './options.js';
import { auditOf, type AuditConfig } from './audit.js';
import { issuingOf, type IssuingConfig } from './issuing.js';
import { loginOf, type LoginConfig } from './loginconfig.js';
import type { WorkloadIssuer } from '../../../pkg/management/login/workload/interface.js';
import { parseTracingConfig, type TracingConfig } from '../../../pkg/tracing/config.js';
import type { Tracing } from '../../../pkg/tracing/interface.js';
import type { Place } from './directories.js';
import { servingSecretOf, type ServingSecretConfig } from './servingsecret.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import { parseWorkloadConfig } from '../../../pkg/management/login/workload/parseconfig.js';

/** The checked configuration: files were read, paths are absolute. */
export interface Config {
  /** Undefined in standalone mode. */
  readonly host: HostConfig | undefined;
  readonly bindAddress: string;
  readonly port: number;
  readonly storage: StorageConfig;
  readonly encryption: EncryptionConfig;
  /** Undefined: no scheduled backups. */
  readonly backups: BackupSchedule | undefined;
  /** The number of processes that serve requests; more than one: workers. */
  readonly workers: number;
  /** Returns the metrics of all workers. Absent: the process has its own. */
  readonly sharedMetrics?: (own: Metrics) => Metrics;
  /** The paths that the server writes to. */
  readonly places: readonly Place[];
  /** The directory of compiled modules; undefined: there is none. */
  readonly compileCache: string | undefined;
  /** The directory of a generated certificate; undefined: there is none. */
  readonly certDir: string | undefined;
  /** Reads the operator's serving certificate; undefined: one is generated. */
  readonly ownCertificate: (() => KeyPair) | undefined;
  /** The Secret with the certificate of the replicas, in aggregated mode. */
  readonly servingSecret: ServingSecretConfig | undefined;
  readonly clientAuthorities: AuthorityBundle | undefined;
  readonly tokens: TokenLookup | undefined;
  readonly anonymous: boolean;
  readonly issuing: IssuingConfig;
  /** Networks of connected clusters that are permitted beyond the default. */
  readonly clusterNetworks: readonly Network[];
  readonly login: LoginConfig;
  /** The issuers whose workload tokens are exchanged for access keys. */
  readonly workload: readonly WorkloadIssuer[];
  /** Whether the console and the documentation are served. */
  readonly console: boolean;
  /** The name of the server in the console; undefined: its host. */
  readonly serverName: string | undefined;
  /** As `--controllers` lists them. */
  readonly controllers: readonly string[];
  /** How long events are retained after their last write, in milliseconds. */
  readonly eventTtlMs: number;
  /** How long access keys are retained after they expired, in milliseconds. */
  readonly accessKeyRetentionMs: number;
  readonly settings: Settings;
  readonly admission: PluginChoice;
  readonly audit: AuditConfig;
  /** Undefined: requests are not traced. */
  readonly tracingConfig: TracingConfig | undefined;
  /** The destination of traces, once it is loaded. */
  readonly tracing?: Tracing;
  readonly limits: FlowLimits;
  /** How long a stopping server continues to serve while `/readyz` fails, in milliseconds. */
  readonly shutdownDelayMs: number;
  /** The flags as text, for `/flagz`. */
  readonly flags: Readonly<Record<string, string>>;
  readonly verbosity: number;
  readonly kubeconfig: string | undefined;
  /** The kubeconfig's path as the operator wrote it, for output. */
  readonly kubeconfigShown: string | undefined;
  /** Whether no location was configured: the server then prints the next steps. */
  readonly firstContact: boolean;
}

/** The concurrent requests of one connection, as in kube-apiserver, which bounds unread responses. */
const STREAMS = 100;

/** Checks options against each other and reads the files they name. Throws StartError. */
export function complete(options: Options): Config {
  const host = hostOf(options);
  const dataDir = dataDirOf(options);
  const kubeconfig = kubeconfigOf(options, dataDir);
  const storage = storageOf(options, dataDir);
  const certDir = under(dataDir, 'pki');
  const ownCertificate = ownCertificateOf(options);
  const audit = auditOf(options, dataDir);
  const login = loginOf(options);
  return {
    host,
    bindAddress: options.bindAddress ?? (host === undefined ? '127.0.0.1' : '0.0.0.0'),
    port: options.securePort,
    storage,
    encryption: encryptionOf(options, storage.engine === 'embedded' ? dataDir : undefined),
    backups: backupsOf(options),
    workers: workersOf(options, host),
    places: placesOf(
      options,
      {
        storage,
        certDir: host === undefined && ownCertificate === undefined ? certDir : undefined,
        audit,
      },
      dataDir,
    ),
    compileCache: under(dataDir, 'compile-cache'),
    certDir,
    ownCertificate,
    servingSecret: servingSecretOf(options),
    clientAuthorities: authoritiesOf('client-ca-file', options.clientCaFile),
    tokens: tokensOf(options.tokenAuthFile),
    anonymous: options.anonymousAuth,
    issuing: issuingOf(options),
    clusterNetworks: options.allowClusterNetworks ?? [],
    login,
    workload: workloadOf(options),
    console: options.console,
    serverName: options.serverName,
    controllers: options.controllers,
    eventTtlMs: options.eventTtl,
    accessKeyRetentionMs: options.accessKeyRetention,
    settings: {
      projectNamespacePrefix: options.projectNamespacePrefix,
      linkVerifiedEmail: login.provider?.linkVerifiedEmail ?? false,
    },
    admission: admissionOf(options),
    audit,
    tracingConfig: tracingOf(options),
    limits: {
      reads: options.maxRequestsInflight,
      writes: options.maxMutatingRequestsInflight,
      watches: options.maxWatches,
      // The host sends all requests over few connections.
      streams: host === undefined ? STREAMS : undefined,
    },
    shutdownDelayMs: options.shutdownDelayDuration,
    flags: flagTexts(options),
    verbosity: options.v,
    kubeconfig: kubeconfig === undefined ? undefined : resolve(kubeconfig),
    kubeconfigShown: kubeconfig,
    firstContact: kubeconfig !== options.writeKubeconfig,
  };
}

/** Values as they were given, else defaults, else empty. None is a secret: those are in files, which flags name. */
const flagTexts = ({ given }: Options): Config['flags'] =>
  Object.fromEntries(
    FLAG_NAMES.map((key) => {
      const { name, fallback = '' }: Flag<unknown> = FLAGS[key];
      return [name, given.get(key) ?? fallback];
    }),
  );

/** The location of the state by the options. Throws StartError. */
export const storageConfigOf = (options: Options): StorageConfig =>
  storageOf(options, embeddedDirOf(options));

/** The encryption by the options. Throws StartError. */
export const encryptionConfigOf = (options: Options): EncryptionConfig =>
  encryptionOf(options, embeddedDirOf(options));

/** Undefined with etcd, also for a user without a home directory. */
const embeddedDirOf = (options: Options): string | undefined =>
  options.etcdServers === undefined ? dataDirOf(options) : undefined;

function placesOf(
  { dataDir: ownDataDir, auditLogPath }: Options,
  { storage, certDir, audit }: Pick<Config, 'storage' | 'certDir' | 'audit'>,
  dataDir: string | undefined,
): Place[] {
  const data = { flag: 'data-dir', shown: ownDataDir ?? dataDir ?? '' };
  const log = auditLogPath === undefined ? data : { flag: 'audit-log-path', shown: auditLogPath };
  const places: Place[] = [];
  if (storage.engine === 'embedded') places.push({ ...data, path: storage.directory, is: 'directory' });
  if (certDir !== undefined) places.push({ ...data, path: certDir, is: 'directory' });
  if (audit.path !== undefined && audit.path !== '-') places.push({ ...log, path: audit.path, is: 'log' });
  return places;
}

const under = (dataDir: string | undefined, name: string): string | undefined =>
  dataDir === undefined ? undefined : join(dataDir, name);

function storageOf(options: Options, dataDir: string | undefined): StorageConfig {
  const { etcdServers, etcdCafile, etcdCertfile, etcdKeyfile } = options;
  const files = [
    ['etcd-cafile', etcdCafile],
    ['etcd-certfile', etcdCertfile],
    ['etcd-keyfile', etcdKeyfile],
  ] as const;
  if (etcdServers === undefined) {
    const invalid = files.find(([, path]) => path !== undefined);
    if (invalid !== undefined) throw new StartError(`--${invalid[0]} requires --etcd-servers`);
    if (dataDir === undefined) throw new StartError('--etcd-servers or --data-dir must be given');
    return { engine: 'embedded', directory: join(dataDir, 'store') };
  }
  if ((etcdCertfile === undefined) !== (etcdKeyfile === undefined)) {
    throw new StartError('--etcd-certfile and --etcd-keyfile must be given together');
  }
  for (const [flag, path] of files) if (path !== undefined) readFlagFile(flag, path);
  return {
    engine: 'etcd',
    endpoints: etcdServers,
    prefix: options.etcdPrefix,
    caFile: etcdCafile,
    certFile: etcdCertfile,
    keyFile: etcdKeyfile,
  };
}

function workersOf({ workers }: Options, host: HostConfig | undefined): number {
  if (workers > 1 && host !== undefined)
    throw new StartError('--workers is not valid in aggregated mode: start more replicas instead');
  return workers;
}

function admissionOf({ enableAdmissionPlugins = [], disableAdmissionPlugins = [] }: Options): PluginChoice {
  const both = enableAdmissionPlugins.find((name) => disableAdmissionPlugins.includes(name));
  if (both === undefined) return { enabled: enableAdmissionPlugins, disabled: disableAdmissionPlugins };
  throw new StartError(`--enable-admission-plugins and --disable-admission-plugins both name ${both}`);
}

/** Empty: workload tokens are not exchanged. Throws StartError. */
const workloadOf = ({ workloadIdentityConfig: path }: Options): readonly WorkloadIssuer[] =>
  path === undefined ? [] : parseFlagYaml('workload-identity-config', path, parseWorkloadConfig);

/** Undefined: requests are not traced. Throws StartError. */
const tracingOf = ({ tracingConfigFile: path }: Options): TracingConfig | undefined =>
  path === undefined ? undefined : parseFlagYaml('tracing-config-file', path, parseTracingConfig);
