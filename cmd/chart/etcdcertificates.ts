import { join } from 'node:path';
import type { HostAnswer, HostClient } from '../../pkg/hostclient/interface.js';
import { writePrivate } from '../../pkg/pki/files.js';
import { issueAuthority, issueServing } from '../../pkg/pki/issue.js';
import { patiently } from './patience.js';
import type { Say } from './words.js';

export interface EtcdCertificateWishes {
  /** `namespace/name` */
  readonly secret: string;
  /** DNS names of the members; used by the side `server` alone. */
  readonly names: readonly string[];
  /** `server` or `client` */
  readonly side: string;
  /** A directory. */
  readonly out: string;
}

interface Secret {
  readonly data?: SecretData;
}

type SecretData = Readonly<Record<string, string>>;

const SIDES = ['server', 'client'];
const YEAR_MS = 365 * 86_400_000;
/** As long as the authority, whose key is not kept: who wants others empties the Secret and restarts all. */
const LIFE = { lifeMs: 10 * YEAR_MS };
const PARTS = ['ca.crt', 'server.crt', 'server.key', 'client.crt', 'client.key'];

/**
 * Writes `ca.crt`, `tls.crt` and `tls.key` of a side, out of the Secret. The first member that finds it empty fills it
 * for both sides; clients wait for that. One that is gone or lacks a part is filled by nobody: a new authority would cut
 * who starts from those who run. Rejects where it does not come in a while.
 */
export async function keepEtcdCertificates(
  host: HostClient,
  { secret, side, out, names }: EtcdCertificateWishes,
  say: Say,
): Promise<void> {
  if (!SIDES.includes(side)) throw new Error(`--side ${side}: it must be server or client`);
  if (side === 'server' && names.length === 0) throw new Error('--side server takes --names');
  const [namespace, name] = secret.split('/');
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  const fill = side === 'server' ? (found: Secret) => fillSecret(host, path, found, names) : undefined;
  const tell = once((problem) => say(`waits for the Secret ${secret}: ${problem}`));
  const data = await patiently(`the Secret ${secret}`, () => read(host, path, fill, tell));
  const text = (part: string): string => Buffer.from(data[part] ?? '', 'base64').toString();
  await writePrivate(join(out, 'ca.crt'), text('ca.crt'));
  await writePrivate(join(out, 'tls.crt'), text(`${side}.crt`));
  await writePrivate(join(out, 'tls.key'), text(`${side}.key`));
}

/** Passes on what is not the same as the last time. */
function once(say: Say): Say {
  let last: string | undefined;
  return (text) => {
    if (text !== last) say(text);
    last = text;
  };
}

/** All parts; undefined where they are not there yet, of which `tell` is told why. */
async function read(
  host: HostClient,
  path: string,
  fill: ((found: Secret) => Promise<void>) | undefined,
  tell: Say,
): Promise<SecretData | undefined> {
  const answer = await host.send({ method: 'GET', path });
  if (answer.status === 404) {
    tell('it is not there');
    return undefined;
  }
  if (answer.status !== 200) throw refused('GET', path, answer);
  const found = answer.body as Secret;
  const data = found.data ?? {};
  const missing = PARTS.filter((part) => (data[part] ?? '') === '');
  if (missing.length === 0) return data;
  if (missing.length < PARTS.length) tell(`it lacks ${missing.join(', ')}`);
  else if (fill === undefined) tell('no member of etcd has filled it');
  else await fill(found);
  return undefined;
}

/** Does nothing where another was first. */
async function fillSecret(
  host: HostClient,
  path: string,
  found: Secret,
  names: readonly string[],
): Promise<void> {
  const data = { ...found.data, ...(await makeCertificates(names)) };
  const body = { ...found, apiVersion: 'v1', kind: 'Secret', data };
  const answer = await host.send({ method: 'PUT', path, body });
  if (answer.status >= 300 && answer.status !== 409) throw refused('PUT', path, answer);
}

const refused = (method: string, path: string, { status }: HostAnswer): Error =>
  new Error(`${method} ${path}: the API server answered ${status}`);

async function makeCertificates(names: readonly string[]): Promise<Record<string, string>> {
  const authority = await issueAuthority('management-etcd-ca', LIFE);
  // Members are clients of each other.
  const members = { ...LIFE, commonName: 'etcd', usage: 'both' } as const;
  const servers = { ...LIFE, commonName: 'management-apiserver', usage: 'client' } as const;
  const server = await issueServing(authority, [...names, 'localhost', '127.0.0.1', '::1'], members);
  const client = await issueServing(authority, [], servers);
  const texts = {
    'ca.crt': authority.certificate,
    'server.crt': server.certificate,
    'server.key': server.key,
    'client.crt': client.certificate,
    'client.key': client.key,
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
}
