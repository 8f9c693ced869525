/** Client certificates that a virtual cluster signs, and their binding inside. */
import { createHash, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { membersOf, textIn } from '../../../apimachinery/encoding/members.js';
import { failure } from '../../../apimachinery/errors.js';
import type { KeyFingerprint } from '../../../apimachinery/user.js';
import type { ClusterAnswer, ClusterRequest, Connection } from '../../clusters/client/interface.js';
import type { Holder } from '../../standingrights/standing.js';

const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const RBAC = 'rbac.authorization.k8s.io';
/** The role of users whom the owner of the virtual cluster has not restricted. */
const ADMIN = 'cluster-admin';
const SIGNER = 'kubernetes.io/kube-apiserver-client';
/** The timeout of a signature. */
const SIGNATURE_TIMEOUT_MS = 3_500;
const PAUSE_MS = 100;
/** The group has at most 64 characters (RFC 5280, appendix A.1), and none that an agent impersonates: these begin with management: */
const ID_CHARACTERS = 32;

export interface ClientCertificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
  /** The name of the CertificateSigningRequest in the virtual cluster. */
  readonly request: string;
}

/** Who a user of this server is in the virtual cluster. */
export interface UserInside {
  readonly name: string;
  /** What rights are bound to. */
  readonly group: string;
  /** The name of the ClusterRoleBinding. */
  readonly binding: string;
  /** The name of the ClusterRoleBinding by which an owner of the virtual cluster chooses the role of the user. */
  readonly restriction: string;
}

/**
 * Rights are bound to a group of this user and of the access key that the certificate ends with: whoever has the name later, or
 * another key, is in another group.
 */
export function userInside(
  { name, uid }: Pick<Holder, 'name' | 'uid'>,
  madeWith: KeyFingerprint | undefined,
): UserInside {
  const user = `management:user:${name}`;
  const id = digest(JSON.stringify([name, uid, madeWith])).slice(0, ID_CHARACTERS);
  const restriction = bindingName(user);
  return {
    name: user,
    group: `management.svc.example/user:${id}`,
    binding: `${restriction}:${id}`,
    restriction,
  };
}

/**
 * Lets the virtual cluster sign a certificate for `user`, valid for `seconds`, and binds the role of the user to it
 * there. `what` names the virtual cluster in errors. Throws StatusError 504, also if no signer signs it.
 */
export async function issueInside(
  what: string,
  connection: Connection,
  user: UserInside,
  seconds: number,
): Promise<ClientCertificate> {
  const ask = asked(what, connection);
  await bindRole(ask, user);
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const request = `management-${randomBytes(10).toString('hex')}`;
  await ask([201], {
    method: 'POST',
    path: CSRS,
    body: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: request },
      spec: {
        request: Buffer.from(await signingRequest(user, keys)).toString('base64'),
        signerName: SIGNER,
        expirationSeconds: seconds,
        usages: ['digital signature', 'client auth'],
      },
    },
  });
  try {
    await approve(ask, request);
    const certificate = await signed(what, ask, request);
    return { certificate, key: await pemOf(keys.privateKey), request };
  } finally {
    await connection.request({ method: 'DELETE', path: `${CSRS}/${request}` }).catch(() => undefined);
  }
}

type Ask = (good: readonly number[], request: ClusterRequest) => Promise<ClusterAnswer>;

/** Throws StatusError 504 for other status codes than `good`. */
function asked(what: string, connection: Connection): Ask {
  return async (good, request) => {
    const answer = await connection.request(request);
    if (good.includes(answer.status)) return answer;
    const { pathname } = new URL(request.path, connection.server);
    throw failure('Timeout', `${what} answers ${answer.status} to ${request.method} ${pathname}`, {});
  };
}

/** An existing binding is unchanged: the owner of the virtual cluster may have restricted it. */
async function bindRole(ask: Ask, { binding, group, restriction }: UserInside): Promise<void> {
  const found = await ask([200, 404], { method: 'GET', path: bindingPath(restriction) });
  const role = textIn(found.object.roleRef, 'name') ?? ADMIN;
  const body = {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: binding },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  };
  await ask([201, 409], { method: 'POST', path: BINDINGS, body });
}

/** Removes a binding. Throws StatusError 504 if it may still exist. */
export async function unbindInside(what: string, connection: Connection, binding: string): Promise<void> {
  await asked(what, connection)([200, 202, 404], { method: 'DELETE', path: bindingPath(binding) });
}

const bindingPath = (name: string): string => `${BINDINGS}/${encodeURIComponent(name)}`;

/** The name of a binding of a user. Not every user name is a valid object name. */
function bindingName(user: string): string {
  if (/^[A-Za-z0-9:._-]{1,200}$/.test(user)) return user;
  return `management:user-${digest(user)}`;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

async function signingRequest({ name, group }: UserInside, keys: webcrypto.CryptoKeyPair): Promise<string> {
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [group] }, { CN: [name] }],
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  return `${made.toString('pem')}\n`;
}

async function approve(ask: Ask, request: string): Promise<void> {
  const condition = {
    type: 'Approved',
    status: 'True',
    reason: 'KubeConfigRequested',
    message: 'its user may use the virtual cluster',
  };
  await ask([200], {
    method: 'PATCH',
    path: `${CSRS}/${request}/approval`,
    contentType: 'application/merge-patch+json',
    body: { status: { conditions: [condition] } },
  });
}

async function signed(what: string, ask: Ask, request: string): Promise<string> {
  const until = Date.now() + SIGNATURE_TIMEOUT_MS;
  while (Date.now() < until) {
    const { object } = await ask([200], { method: 'GET', path: `${CSRS}/${request}` });
    const { certificate } = membersOf(object.status);
    if (certificate !== undefined) return certificateIn(what, certificate);
    await sleep(PAUSE_MS);
  }
  throw failure('Timeout', `${what} does not sign certificates of ${SIGNER}`, {});
}

/** Checks the certificate, as a virtual cluster may return anything. Throws StatusError 504. */
function certificateIn(what: string, value: unknown): string {
  try {
    const pem = Buffer.from(String(value), 'base64').toString('utf8');
    new X509Certificate(pem);
    return pem;
  } catch {
    throw failure('Timeout', `${what} returned an invalid certificate`, {});
  }
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}
