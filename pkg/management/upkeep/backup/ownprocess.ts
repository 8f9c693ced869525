/** Runs `management-apiserver backup …` in a separate process, on the store that this server uses. */
import { spawn, type ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import type { StorageConfig } from '../storageconfig.js';
import { keyFileOf, type EncryptionConfig } from '../encryption/keys.js';
import type { UpkeepParts } from '../parts.js';
import { PASSPHRASE_FLAG } from './ageflags.js';

/** The maximum length of the standard error that is kept. */
const MAX_STDERR_CHARACTERS = 1_000;

export interface OwnProcess {
  readonly child: ChildProcess;
  /** The first line of its standard error. */
  firstErrorLine(): string;
}

/**
 * Runs `backup` with these arguments. The process has an IPC channel to this one, and stops when the channel closes.
 */
export function runBackup(
  { storage, encryption, backups }: UpkeepParts['config'],
  argv: readonly string[],
): OwnProcess {
  const passphraseFile = backups?.passphraseFile;
  const all = [
    process.argv[1] ?? '',
    'backup',
    ...argv,
    ...(passphraseFile === undefined ? [] : [`--${PASSPHRASE_FLAG.name}=${passphraseFile}`]),
    ...storageFlags(storage),
    ...encryptionFlags(encryption),
  ];
  const child = spawn(process.execPath, all, {
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.on(
    'data',
    (text: Buffer) => (stderr = (stderr + text.toString()).slice(0, MAX_STDERR_CHARACTERS)),
  );
  return { child, firstErrorLine: () => stderr.trim().split('\n')[0] ?? '' };
}

/** Whether this server makes the backups. If several servers share the store, it is the leader. */
export function makesBackups({ config: { storage }, controllers }: UpkeepParts): boolean {
  const several = storage.engine === 'etcd' || storage.open !== undefined;
  return !several || controllers.leadership()?.leads === true;
}

function storageFlags(storage: StorageConfig): string[] {
  if (storage.engine === 'embedded') return [`--data-dir=${dirname(storage.directory)}`];
  const files = [
    ['etcd-cafile', storage.caFile],
    ['etcd-certfile', storage.certFile],
    ['etcd-keyfile', storage.keyFile],
  ] as const;
  return [
    `--etcd-servers=${storage.endpoints.join(',')}`,
    `--etcd-prefix=${storage.prefix}`,
    ...files.flatMap(([flag, path]) => (path === undefined ? [] : [`--${flag}=${path}`])),
  ];
}

const encryptionFlags = (encryption: EncryptionConfig): string[] => [
  `--encryption-key-file=${keyFileOf(encryption)}`,
  ...(encryption.providerConfig === undefined
    ? []
    : [`--encryption-provider-config=${encryption.providerConfig}`]),
];

/** The environment without flags of the server, as all flags that apply are passed as arguments. */
function environment(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => !name.startsWith('MANAGEMENT_APISERVER_'));
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
