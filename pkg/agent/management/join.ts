/** Joining: a token for one use becomes a kubeconfig for the management API, which is kept in a Secret of the cluster. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../../api/client/body.js';
import { requestOver } from '../../../api/client/node.js';
import { parseJson } from '../../apimachinery/encoding/depth.js';
import { membersOf, textIn } from '../../apimachinery/encoding/members.js';
import type { HostClient } from '../../hostclient/interface.js';
import { CLUSTER_JOIN } from '../../management/clusters/join/path.js';

export interface JoinOptions {
  readonly cluster: string;
  /** The URL of the management API. */
  readonly server: string;
  /** PEM of its authorities; undefined: those of the system. */
  readonly authority: string | undefined;
  readonly token: string;
  /** Of the Secret, which exists. */
  readonly namespace: string;
  readonly secretName: string;
}

const KEY = 'kubeconfig';
/** Annotation of the Secret: a hash of the token that its kubeconfig came from. */
const JOINED_BY = 'management.svc.example/joined-by';
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** How long another Pod with the same token may take to write the Secret. */
const OTHERS_MS = 20_000;
const PAUSE_MS = 500;

/** The kubeconfig. Rejects with an Error that has no secret, and says what to do. */
export async function join(client: Pick<HostClient, 'send'>, options: JoinOptions): Promise<string> {
  const hash = createHash('sha256').update(options.token).digest('hex').slice(0, 32);
  const known = await read(client, options, hash);
  if (known !== undefined) return known;
  const answer = await redeem(options);
  if ('refused' in answer) {
    // Another Pod may have been first.
    const theirs = await readLater(client, options, hash);
    if (theirs === undefined) throw new Error(`the management API lets no agent join: ${answer.refused}`);
    return theirs;
  }
  const kubeconfig = kubeconfigOf(options, answer.key);
  await write(client, options, { hash, kubeconfig });
  return kubeconfig;
}

const pathOf = ({ namespace, secretName }: JoinOptions): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(secretName)}`;

/** Undefined: it is of another token, or of none. */
async function read(
  client: Pick<HostClient, 'send'>,
  options: JoinOptions,
  hash: string,
): Promise<string | undefined> {
  const path = pathOf(options);
  const { status, body } = await client.send({ method: 'GET', path });
  if (status !== 200) throw new Error(`${path}: ${status}`);
  const { metadata, data } = membersOf(body);
  const kubeconfig = textIn(data, KEY);
  if (kubeconfig === undefined || textIn(membersOf(metadata).annotations, JOINED_BY) !== hash)
    return undefined;
  return Buffer.from(kubeconfig, 'base64').toString('utf8');
}

async function readLater(
  client: Pick<HostClient, 'send'>,
  options: JoinOptions,
  hash: string,
): Promise<string | undefined> {
  const until = performance.now() + OTHERS_MS;
  for (;;) {
    const found = await read(client, options, hash);
    if (found !== undefined || performance.now() >= until) return found;
    await sleep(PAUSE_MS);
  }
}

async function write(
  client: Pick<HostClient, 'send'>,
  options: JoinOptions,
  { hash, kubeconfig }: { readonly hash: string; readonly kubeconfig: string },
): Promise<void> {
  const path = pathOf(options);
  const body = {
    metadata: { annotations: { [JOINED_BY]: hash } },
    data: { [KEY]: Buffer.from(kubeconfig).toString('base64') },
  };
  const contentType = 'application/merge-patch+json';
  const { status } = await client.send({ method: 'PATCH', path, body, contentType, repeatable: true });
  if (status !== 200) throw new Error(`${path}: ${status}`);
}

async function redeem({
  cluster,
  server,
  authority,
  token,
}: JoinOptions): Promise<{ readonly key: string } | { readonly refused: string }> {
  const body = JSON.stringify({ cluster, token });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const options = { method: 'POST', ca: authority, timeout: TIMEOUT_MS, headers };
  const response = await requestOver(`${server.replace(/\/+$/, '')}${CLUSTER_JOIN}`, options, body);
  const text = await textOf(response, MAX_ANSWER_BYTES);
  const answer = membersOf(parseJson(text));
  const key = textIn(answer, 'access_token');
  if (response.statusCode === 200 && key !== undefined) return { key };
  return { refused: textIn(answer, 'error_description') ?? `it answers ${response.statusCode ?? 0}` };
}

function kubeconfigOf({ server, authority }: JoinOptions, token: string): string {
  const ca = authority && { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'management',
    clusters: [{ name: 'management', cluster: { server, ...ca } }],
    users: [{ name: 'agent', user: { token } }],
    contexts: [{ name: 'management', context: { cluster: 'management', user: 'agent' } }],
  });
}
