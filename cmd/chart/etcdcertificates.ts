import { join } from 'node:path';
import type { HostAnswer, HostClient } from '../../pkg/hostclient/interface.js';
import { writePrivate } from '../../pkg/server/pki/files.js';
import { issueAuthority, issueServing } from '../../pkg/server/pki/issue.js';
import { patiently } from './patience.js';

export interface EtcdCertificateWishes {
  /** `namespace/name` */
  readonly secret: string;
  /** DNS names of the members. */
  readonly names: readonly string[];
  /** `server` or `client` */
  readonly side: string;
  /** A directory. */
  readonly out: string;
}

interface Secret {
  readonly data?: Readonly<Record<string, string>>;
}

const SIDES = ['server', 'client'];
const YEAR_MS = 365 * 86_400_000;
/** As long as the authority, whose key is not kept: who wants others deletes the Secret and restarts all. */
const LIFE = { lifeMs: 10 * YEAR_MS };
const PARTS = ['ca.crt', 'server.crt', 'server.key', 'client.crt', 'client.key'];

/**
 * Writes `ca.crt`, `tls.crt` and `tls.key`. Who comes first makes them for both sides and keeps them in the Secret; who
 * comes at the same time and is second takes what is there.
 */
export async function keepEtcdCertificates(host: HostClient, wishes: EtcdCertificateWishes): Promise<void> {
  const { secret, side, out, names } = wishes;
  if (!SIDES.includes(side)) throw new Error(`--side ${side}: it must be server or client`);
  const data = await patiently(`the Secret ${secret}`, () => agree(host, secret, names));
  const text = (part: string): string => Buffer.from(data[part] ?? '', 'base64').toString();
  await writePrivate(join(out, 'ca.crt'), text('ca.crt'));
  await writePrivate(join(out, 'tls.crt'), text(`${side}.crt`));
  await writePrivate(join(out, 'tls.key'), text(`${side}.key`));
}

/** What the Secret holds; undefined where it was just written, by this or another. */
async function agree(
  host: HostClient,
  secret: string,
  names: readonly string[],
): Promise<Readonly<Record<string, string>> | undefined> {
  const [namespace, name] = secret.split('/');
  const collection = `/api/v1/namespaces/${namespace}/secrets`;
  const path = `${collection}/${name}`;
  const answer = await host.send({ method: 'GET', path });
  if (answer.status !== 200 && answer.status !== 404) throw refused('read', secret, answer);
  const found = answer.status === 200 ? (answer.body as Secret) : undefined;
  const data = found?.data ?? {};
  if (PARTS.every((part) => (data[part] ?? '') !== '')) return data;
  const made = await makeCertificates(names);
  const type = { apiVersion: 'v1', kind: 'Secret' };
  const written = await (found === undefined
    ? host.send({ method: 'POST', path: collection, body: { ...type, metadata: { name }, data: made } })
    : host.send({ method: 'PUT', path, body: { ...found, ...type, data: made } }));
  if (written.status >= 300 && written.status !== 409) throw refused('write', secret, written);
  return undefined;
}

const refused = (verb: string, secret: string, { status }: HostAnswer): Error =>
  new Error(`${verb} the Secret ${secret}: the API server answered ${status}`);

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
