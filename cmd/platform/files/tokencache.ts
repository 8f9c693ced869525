/** Credentials for connected clusters, kept until shortly before their end: kubectl asks for one with each command. */
import { X509Certificate, createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import type { Environment } from '../cli.js';
import type { Client } from '../connection/client.js';
import { configPath } from './config.js';
import { Failure } from '../failure.js';
import { replaceFile } from './atomicfile.js';
import { managementObject } from '../objects.js';
import type { Connection } from '../connection/serverconnection.js';
import { type VirtualClusterConfig, virtualClusterConfig } from './vclusterconfig.js';
import { parseStored } from '../../../pkg/apimachinery/encoding/parsestored.js';

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

/** The wanted properties of a token for connected clusters. */
export interface TokenRequirements {
  /** The Cluster that it is for; undefined: any. */
  readonly cluster: string | undefined;
  /** In seconds; undefined: an hour, or what is left of the login. */
  readonly ttl: number | undefined;
  /** Its scope; undefined: all rights of the caller. */
  readonly scope?: Scope | undefined;
  /** Whether a new one takes the place of an earlier one, which may have been revoked. */
  readonly renew?: boolean;
}

const TOKEN_SECONDS = 3600;

/** A token of the caller for connected clusters, or the rest of an earlier one. */
export function cachedToken(
  env: Environment,
  client: Client,
  { cluster, ttl, scope, renew = false }: TokenRequirements,
): Promise<ExecStatus> {
  const ask = async (seconds: number | undefined): Promise<string> => {
    const spec = {
      ...(seconds !== undefined && { ttl: seconds }),
      ...(cluster !== undefined && { cluster }),
      ...(scope !== undefined && { scope }),
    };
    const { status } = await client.create<{ status: { token: string } }>(
      { resource: 'directclusterendpointtokens' },
      managementObject('DirectClusterEndpointToken', {}, { spec }),
    );
    return status.token;
  };
  const within = scope === undefined ? '' : ` ${JSON.stringify(scope)}`;
  const what = `token ${ttl ?? TOKEN_SECONDS} ${cluster ?? ''}${within}`;
  const make = async (): Promise<ExecStatus> => {
    const token = await ask(ttl ?? TOKEN_SECONDS).catch((error: unknown) => {
      // The login ends sooner: the server says how long a token may live.
      if (ttl === undefined && error instanceof Failure && error.message.includes('spec.ttl'))
        return ask(undefined);
      throw error;
    });
    return { token, ...endOf(token) };
  };
  return renew ? renewed(env, client, what, make) : kept(env, client, what, make);
}

/** A client certificate of the caller for a virtual cluster, for `ttl` seconds or as long as the server says. */
export function cachedCertificate(
  env: Environment,
  client: Client,
  [project, name]: readonly [string, string],
  ttl: number | undefined,
): Promise<ExecStatus> {
  return kept(env, client, ofVirtualCluster(project, name, ttl), async () =>
    statusOf(await virtualClusterConfig(client, project, name, ttl)),
  );
}

/** The certificate of a config that was just fetched takes the place of an earlier one, of another cluster maybe. */
export async function keepCertificate(
  env: Environment,
  { connection }: Client,
  config: VirtualClusterConfig,
  [project, name]: readonly [string, string],
): Promise<void> {
  await keep(pathOf(env, connection, ofVirtualCluster(project, name)), statusOf(config));
}

const ofVirtualCluster = (project: string, name: string, ttl?: number): string =>
  `vcluster ${project}/${name}${ttl === undefined ? '' : ` ${ttl}`}`;

function statusOf({ certificate, key }: VirtualClusterConfig): ExecStatus {
  const pem = Buffer.from(certificate, 'base64').toString();
  return {
    clientCertificateData: pem,
    clientKeyData: Buffer.from(key, 'base64').toString(),
    expirationTimestamp: new Date(new X509Certificate(pem).validTo).toISOString(),
  };
}

async function kept(
  env: Environment,
  client: Client,
  what: string,
  make: () => Promise<ExecStatus>,
): Promise<ExecStatus> {
  const found = await readCached(pathOf(env, client.connection, what));
  return found !== undefined && isFresh(found) ? found.status : renewed(env, client, what, make);
}

async function renewed(
  env: Environment,
  { connection }: Client,
  what: string,
  make: () => Promise<ExecStatus>,
): Promise<ExecStatus> {
  const status = await make();
  await keep(pathOf(env, connection, what), status);
  return status;
}

/** If no file can be written, each command gets a credential of its own. */
async function keep(path: string, status: ExecStatus): Promise<void> {
  const made: Kept = { made: Date.now(), status };
  await replaceFile(path, JSON.stringify(made)).catch(() => undefined);
}

const pathOf = (env: Environment, connection: Connection, what: string): string =>
  join(folderOf(env, connection), `${digestOf(what)}.json`);

/** Removes what is kept for a login. */
export async function forgetCredentials(env: Environment, connection: Connection): Promise<void> {
  await rm(folderOf(env, connection), { recursive: true, force: true }).catch(() => undefined);
}

/** A folder for each login. */
function folderOf(env: Environment, { server, token = '', cert = '' }: Connection): string {
  return join(dirname(configPath(env)), 'credentials', digestOf([server.href, token, cert].join('\n')));
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function isFresh({ made, status }: Kept): boolean {
  const end = Date.parse(status.expirationTimestamp ?? '');
  return end - Date.now() > (end - made) * RENEW_BELOW;
}

async function readCached(path: string): Promise<Kept | undefined> {
  try {
    return parseStored<Kept>(await readFile(path, 'utf8'));
  } catch {
    return undefined; // none yet, or one that cannot be read: a new one is made
  }
}

/** `exp` of a JWT. */
function endOf(jwt: string): { expirationTimestamp?: string } {
  try {
    const { exp } = parseStored<{
      exp?: unknown;
    }>(Buffer.from(jwt.split('.')[1] ?? '', 'base64url'));
    return typeof exp === 'number' ? { expirationTimestamp: new Date(exp * 1000).toISOString() } : {};
  } catch {
    return {};
  }
}
