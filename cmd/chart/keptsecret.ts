/** A Secret of the chart that the first Pod fills, and later Pods update. */
import { isObject } from '../../pkg/apimachinery/encoding/members.js';
import type { HostAnswer, HostClient } from '../../pkg/hostclient/interface.js';
import type { Say } from './words.js';

/** The data of a Secret as text. */
export type Texts = Readonly<Record<string, string>>;

/** The next step: the data may be used, it must be changed (undefined: removed), or an operator must act. */
export type Verdict =
  | { readonly use: Texts }
  | { readonly write: Readonly<Record<string, string | undefined>> }
  | { readonly wait: string };

export interface KeptSecret {
  /** `namespace/name` */
  readonly secret: string;
  readonly decide: (held: Texts) => Verdict | Promise<Verdict>;
}

interface SecretObject {
  readonly data?: Texts;
}

/**
 * Reads the Secret once and acts: returns its data if they may be used; undefined: read it again. A missing
 * Secret is not created. Rejects if the API server refuses, without its message, which may contain data of a
 * Secret.
 */
export async function checkSecret(
  host: HostClient,
  { secret, decide }: KeptSecret,
  tell: Say,
): Promise<Texts | undefined> {
  const [namespace, name] = secret.split('/');
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  const answer = await host.send({ method: 'GET', path });
  if (answer.status === 404) {
    tell('it is not there');
    return undefined;
  }
  if (answer.status !== 200 || !isObject(answer.body)) throw refused('GET', path, answer);
  const found: SecretObject = answer.body;
  const verdict = await decide(decoded(found.data));
  if ('use' in verdict) return verdict.use;
  if ('wait' in verdict) tell(verdict.wait);
  else await write(host, path, found, verdict.write);
  return undefined;
}

/** Does nothing after a conflict. */
async function write(
  host: HostClient,
  path: string,
  found: SecretObject,
  texts: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const changed = Object.entries(texts).map(([key, text]) => [
    key,
    text && Buffer.from(text).toString('base64'),
  ]);
  const data = { ...found.data, ...Object.fromEntries(changed) };
  const body = { ...found, apiVersion: 'v1', kind: 'Secret', data };
  const answer = await host.send({ method: 'PUT', path, body });
  if (answer.status >= 300 && answer.status !== 409) throw refused('PUT', path, answer);
}

const decoded = (data: Texts = {}): Texts =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );

const refused = (method: string, path: string, { status }: HostAnswer): Error =>
  new Error(`${method} ${path}: the API server answered ${status}`);

/** Drops repetitions of the same text. */
export function once(say: Say): Say {
  let last: string | undefined;
  return (text) => {
    if (text !== last) say(text);
    last = text;
  };
}
