/**
 * Kubeconfigs from objects are untrusted data. Only an https server, its authority, and a client certificate
 * or a token are accepted, each inline. Fields that run a command, open a file, use a proxy or skip
 * verification are refused, even if the current context does not use them.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { DecodeError, type JsonDecoded } from '../../../apimachinery/encoding/json.js';
import {
  StatusError,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  type FieldError,
} from '../../../apimachinery/errors.js';
import { isBase64 } from '../../../apimachinery/schema/base64.js';

/** The accepted fields of a kubeconfig. */
export interface ClusterCredentials {
  /** Without a trailing slash. */
  readonly server: string;
  /** PEM; undefined: the system's authorities. */
  readonly authority: string | undefined;
  /** PEM. */
  readonly certificate: string | undefined;
  /** PEM. */
  readonly key: string | undefined;
  readonly token: string | undefined;
}

export type CheckedKubeconfig =
  | { readonly credentials: ClusterCredentials }
  | { readonly findings: readonly FieldError[] };

/** The maximum length, in characters. */
export const MAX_KUBECONFIG = 1024 * 1024;
/** The maximum of clusters, users or contexts, and of findings about them. */
const MAX_ENTRIES = 1_000;
const MAX_FINDINGS = 20;
const MAX_NAME = 100;
const HIDDEN = '<hidden>';

type Members = Readonly<Record<string, unknown>>;

/** The accepted fields of an entry, and the ignored ones. */
const TAKEN = {
  cluster: ['server', 'certificate-authority-data'],
  user: ['client-certificate-data', 'client-key-data', 'token'],
} as const;
const PASSED_OVER: readonly string[] = ['extensions', 'disable-compression'];

/** `read` returns the parsed text, or throws as `decodeYaml`. Findings contain no value of it. */
export function checkKubeconfig(read: () => JsonDecoded): CheckedKubeconfig {
  const root = parsed(read);
  if (root === undefined)
    return { findings: [fieldInvalid('kubeconfig', HIDDEN, 'must be a kubeconfig in YAML')] };
  const long = ['clusters', 'users', 'contexts'].find((list) => lengthOf(root[list]) > MAX_ENTRIES);
  if (long !== undefined)
    return { findings: [fieldInvalid(long, HIDDEN, `must have at most ${MAX_ENTRIES} entries`)] };
  const clusters = entriesOf(root, 'clusters', 'cluster');
  const users = entriesOf(root, 'users', 'user');
  const contexts = entriesOf(root, 'contexts', 'context');
  const findings = [...refusals(clusters, 'cluster'), ...refusals(users, 'user')];
  if (findings.length > 0) return { findings: findings.slice(0, MAX_FINDINGS) };
  const context = contexts.find(({ name }) => name === root['current-context']);
  if (context === undefined)
    return { findings: [fieldRequired('current-context', 'must name one of the contexts')] };
  const cluster = clusters.find(({ name }) => name === context.members.cluster);
  if (cluster === undefined)
    return { findings: [fieldRequired(`${context.path}.cluster`, 'must name one of the clusters')] };
  const user = users.find(({ name }) => name === context.members.user);
  if (user === undefined)
    return { findings: [fieldRequired(`${context.path}.user`, 'must name one of the users')] };
  return credentialsOf(cluster, user);
}

function parsed(read: () => JsonDecoded): Members | undefined {
  try {
    const { value } = read();
    return isMembers(value) ? value : undefined;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StatusError) return undefined;
    throw error;
  }
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

interface Entry {
  readonly name: unknown;
  /** The path of the entry: `users[0].user`. */
  readonly path: string;
  readonly members: Members;
}

function entriesOf(root: Members, list: string, member: string): Entry[] {
  const items: readonly unknown[] = Array.isArray(root[list]) ? root[list] : [];
  return items.map((item, at) => {
    const { name, [member]: said } = isMembers(item) ? item : { name: undefined, [member]: undefined };
    return { name, path: `${list}[${at}].${member}`, members: isMembers(said) ? said : {} };
  });
}

function refusals(entries: readonly Entry[], kind: keyof typeof TAKEN): FieldError[] {
  const taken: readonly string[] = [...TAKEN[kind], ...PASSED_OVER];
  return entries.flatMap(({ path, members }) =>
    Object.entries(members)
      .filter(([member, value]) => !taken.includes(member) && !saysNothing(member, value))
      .slice(0, MAX_FINDINGS)
      .map(([member]) =>
        fieldForbidden(`${path}.${member.slice(0, MAX_NAME)}`, `may hold only ${TAKEN[kind].join(', ')}`),
      ),
  );
}

/** Whether a field has no effect: verification that is not skipped, and empty values. */
const saysNothing = (member: string, value: unknown): boolean =>
  value === null || value === '' || (member === 'insecure-skip-tls-verify' && value === false);

function credentialsOf(cluster: Entry, user: Entry): CheckedKubeconfig {
  const server = serverOf(cluster.members.server);
  const authority = pemOf(cluster, 'certificate-authority-data');
  const certificate = pemOf(user, 'client-certificate-data');
  const key = pemOf(user, 'client-key-data');
  const { token } = user.members;
  const findings: FieldError[] = [];
  if (server === undefined)
    findings.push(fieldInvalid(`${cluster.path}.server`, HIDDEN, 'must be a URL such as https://host:6443'));
  for (const { finding } of [authority, certificate, key]) if (finding !== undefined) findings.push(finding);
  if (authority.pem !== undefined && !isCertificate(authority.pem))
    findings.push(
      fieldInvalid(`${cluster.path}.certificate-authority-data`, HIDDEN, 'must be certificates in PEM'),
    );
  if ((certificate.pem === undefined) !== (key.pem === undefined))
    findings.push(fieldRequired(user.path, 'client-certificate-data and client-key-data go together'));
  else if (certificate.pem !== undefined && !fit(certificate.pem, key.pem ?? ''))
    findings.push(
      fieldInvalid(
        `${user.path}.client-certificate-data`,
        HIDDEN,
        'must be a certificate, and of client-key-data',
      ),
    );
  if (token !== undefined && !isToken(token))
    findings.push(fieldInvalid(`${user.path}.token`, HIDDEN, 'must be a bearer token'));
  if (certificate.pem === undefined && token === undefined && findings.length === 0)
    findings.push(fieldRequired(user.path, 'must hold a client certificate with its key, or a token'));
  if (findings.length > 0 || server === undefined) return { findings };
  return {
    credentials: {
      server,
      authority: authority.pem,
      certificate: certificate.pem,
      key: key.pem,
      token: isToken(token) ? token : undefined,
    },
  };
}

function serverOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, username, password, search, hash, href } = new URL(value);
  if (protocol !== 'https:' || `${username}${password}${search}${hash}` !== '') return undefined;
  return href.replace(/\/+$/, '');
}

function pemOf({ path, members }: Entry, member: string): { pem?: string; finding?: FieldError } {
  const value = members[member];
  if (value === undefined || value === null || value === '') return {};
  if (typeof value !== 'string' || !isBase64(value))
    return { finding: fieldInvalid(`${path}.${member}`, HIDDEN, 'must be PEM in base64') };
  return { pem: Buffer.from(value, 'base64').toString('utf8') };
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

function fit(certificate: string, key: string): boolean {
  try {
    createSecureContext({ cert: certificate, key });
    return true;
  } catch {
    return false;
  }
}

const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
