/** Credentials for connected clusters, kept until shortly before their end: kubectl asks for one with each command. */
import { X509Certificate, createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from './cli.js';
import type { Client } from './client.js';
import { configPath, replaceFile } from './config.js';
import { virtualClusterConfig } from './vclusterconfig.js';

/** Status of `client.authentication.k8s.io/v1 ExecCredential`. */
export interface ExecStatus {
  readonly token?: string;
  /** PEM. */
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  /** RFC 3339; absent: no end is known. */
  readonly expirationTimestamp?: string;
}

interface Kept {
  readonly made: number;
  readonly status: ExecStatus;
}

/** A credential is made anew when less than this part of its life is left. */
const RENEW_BELOW = 1 / 5;

/** A token of the caller for connected clusters that lives `ttl` seconds, or the rest of an earlier one. */
export function cachedToken(env: Environment, client: Client, ttl: number): Promise<ExecStatus> {
  return kept(env, client, `token ${ttl}`, async () => {
    const { status } = await client.create<{ status: { token: string } }>(
      { resource: 'directclusterendpointtokens' },
      {
        kind: 'DirectClusterEndpointToken',
        apiVersion: 'management.svc.example/v1',
        metadata: {},
        spec: { ttl },
      },
    );
    return { token: status.token, ...endOf(status.token) };
  });
}

/** A client certificate of the caller for a virtual cluster. */
export function cachedCertificate(
  env: Environment,
  client: Client,
  project: string,
  name: string,
): Promise<ExecStatus> {
  return kept(env, client, `vcluster ${project}/${name}`, async () => {
    const { certificate, key } = await virtualClusterConfig(client, project, name);
    const pem = Buffer.from(certificate, 'base64').toString();
    return {
      clientCertificateData: pem,
      clientKeyData: Buffer.from(key, 'base64').toString(),
      expirationTimestamp: new Date(new X509Certificate(pem).validTo).toISOString(),
    };
  });
}

async function kept(
  env: Environment,
  { connection: { server, token = '' } }: Client,
  what: string,
  make: () => Promise<ExecStatus>,
): Promise<ExecStatus> {
  const owner = createHash('sha256').update([server.href, token, what].join('\n')).digest('hex');
  const path = join(dirname(configPath(env)), 'credentials', `${owner}.json`);
  const found = await readKept(path);
  if (found !== undefined && isFresh(found)) return found.status;
  const made = { made: Date.now(), status: await make() };
  await replaceFile(path, JSON.stringify(made));
  return made.status;
}

function isFresh({ made, status }: Kept): boolean {
  const end = Date.parse(status.expirationTimestamp ?? '');
  return end - Date.now() > (end - made) * RENEW_BELOW;
}

async function readKept(path: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Kept;
  } catch {
    return undefined; // none yet, or one that cannot be read: a new one is made
  }
}

/** `exp` of a JWT. */
function endOf(jwt: string): { expirationTimestamp?: string } {
  try {
    const { exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
      exp?: unknown;
    };
    return typeof exp === 'number' ? { expirationTimestamp: new Date(exp * 1000).toISOString() } : {};
  } catch {
    return {};
  }
}
