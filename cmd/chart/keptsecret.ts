/** A Secret of the chart that what starts first fills, and what comes later changes in time. */
import { isObject } from '../../pkg/apimachinery/encoding/members.js';
import type { HostAnswer, HostClient } from '../../pkg/hostclient/interface.js';
import type { Say } from './words.js';

/** What a Secret holds, as text. */
export type Texts = Readonly<Record<string, string>>;

/** What is to become of it: it may be used, it is to hold these as well or (undefined) no longer, or somebody must act. */
export type Verdict =
  | { readonly use: Texts }
  | { readonly write: Readonly<Record<string, string | undefined>> }
  | { readonly wait: string };

export interface KeptSecret {
  /** `namespace/name` */
  readonly secret: string;
  readonly judge: (held: Texts) => Verdict | Promise<Verdict>;
}

interface SecretObject {
  readonly data?: Texts;
}

/**
 * One look at the Secret, and what follows: its texts where they may be used; undefined where it is to be looked at again.
 * One that is not there is made by nobody. Rejects where the API server refuses, without its words, which may repeat a
 * Secret.
 */
export async function checkSecret(
  host: HostClient,
  { secret, judge }: KeptSecret,
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
  const verdict = await judge(decoded(found.data));
  if ('use' in verdict) return verdict.use;
  if ('wait' in verdict) tell(verdict.wait);
  else await write(host, path, found, verdict.write);
  return undefined;
}

/** Does nothing where another was first. */
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

/** Passes on what is not the same as the last time. */
export function once(say: Say): Say {
  let last: string | undefined;
  return (text) => {
    if (text !== last) say(text);
    last = text;
  };
}
