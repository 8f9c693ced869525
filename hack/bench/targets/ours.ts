import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../client.js';
import { freePort, start } from '../processes.js';
import { allocatedBytesOf } from '../cpu.js';
import { startEtcd } from './etcd.js';
import { ADMIN_TOKEN, TOKEN_LINES, type Target, type TargetOptions } from './target.js';

const under = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
/** Bundled, as it is released, where that is built. */
const RELEASED = under('bundle/cmd/apiserver/main.js');
const SERVER = existsSync(RELEASED) ? RELEASED : under('cmd/apiserver/main.js');
const PROFILER = new URL('../profiler.js', import.meta.url).href;

/** As images start it. */
const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=16`;

const PLAIN = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: ['*.*']
    providers: [{ identity: {} }]
`;

function encryptionFlags({ folder, encrypted = true }: TargetOptions): string[] {
  const keys = `--encryption-key-file=${join(folder, 'encryption.key')}`;
  if (encrypted) return [keys];
  const config = join(folder, 'plain.yaml');
  writeFileSync(config, PLAIN, { mode: 0o600 });
  return [keys, `--encryption-provider-config=${config}`];
}

/** This project's server as built, on the named engine. */
export async function startOurs(engine: 'embedded' | 'etcd', options: TargetOptions): Promise<Target> {
  const { folder, profiles, program = SERVER, tokens: lines = TOKEN_LINES } = options;
  const etcd = engine === 'etcd' ? await startEtcd(folder) : undefined;
  const port = await freePort();
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, lines, { mode: 0o600 });
  const args = [
    '--trace-gc',
    ...(profiles === undefined ? [] : ['--import', PROFILER]),
    program,
    `--data-dir=${join(folder, 'data')}`,
    ...encryptionFlags(options),
    `--secure-port=${port}`,
    `--token-auth-file=${tokens}`,
    ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.url}`]),
  ];
  const env = { ...process.env, NODE_OPTIONS, BENCH_PROFILE: join(folder, 'row.cpuprofile') };
  const log = join(folder, 'server.log');
  const server = start(process.execPath, args, log, env);
  const endpoint = { port, token: ADMIN_TOKEN };
  const client = createClient(endpoint, 1);
  const readySeconds = await server.waitUntil(
    async () => (await client.send({ path: '/readyz' })).code === 200,
  );
  client.close();
  return {
    name: engine,
    endpoint,
    pid: server.pid,
    storePid: etcd?.pid,
    storeUrl: etcd?.url,
    readySeconds,
    allocatedBytes: () => allocatedBytesOf(readFileSync(log, 'utf8')),
    eventLoop: true,
    async stop() {
      await server.stop();
      await etcd?.stop();
    },
  };
}
