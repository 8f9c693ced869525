/** Processes of the server's own program beside it: `backup …` on the store that it serves. */
import { spawn, type ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import type { Config, StorageConfig } from '../options/complete.js';
import { keyFileOf, type EncryptionConfig } from '../server/encryption.js';
import type { Operations } from '../server/telemetry.js';
import { PASSPHRASE_FLAG } from './flags.js';

/** How much of the standard error of a process is kept. */
const MAX_STDERR_CHARACTERS = 1_000;

export interface OwnProcess {
  readonly child: ChildProcess;
  /** The first line of what it said on its standard error. */
  firstErrorLine(): string;
}

/** Runs `backup` with these arguments. The process has a channel to this one, by whose end it sees that this one is gone. */
export function runBackup({ storage, encryption, backups }: Config, argv: readonly string[]): OwnProcess {
  const passphraseFile = backups?.passphraseFile;
  const all = [
    ...[process.argv[1] ?? '', 'backup', ...argv],
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

/** Whether this server is to make the backups: of several on one store, the one that leads. */
export function makesBackups({ config: { storage }, controllers }: Operations): boolean {
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
    ...[`--etcd-servers=${storage.endpoints.join(',')}`, `--etcd-prefix=${storage.prefix}`],
    ...files.flatMap(([flag, path]) => (path === undefined ? [] : [`--${flag}=${path}`])),
  ];
}

const encryptionFlags = (encryption: EncryptionConfig): string[] => [
  `--encryption-key-file=${keyFileOf(encryption)}`,
  ...(encryption.providerConfig === undefined
    ? []
    : [`--encryption-provider-config=${encryption.providerConfig}`]),
];

/** Without options of the server: all that count are given. */
function environment(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => !name.startsWith('MANAGEMENT_APISERVER_'));
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
