import { listOf, membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import { suggestion } from '../../../../pkg/apimachinery/similar.js';
import type { Client } from '../../connection/client.js';
import { usage } from '../../failure.js';
import { NOUNS } from '../../nouns.js';
import { findOf } from './unknownnames.js';
import { verbSuggestion } from './verbs.js';

/** What a question about a right names. */
export interface AskedRight {
  readonly verb: string;
  /** `''`: the core group. */
  readonly group: string;
  readonly resource: string;
}

/** Verbs that only name a right: no request has them. */
const RIGHTS = ['use', 'sync', 'import', 'bind', 'escalate', 'impersonate', 'approve', 'sign', 'attest'];

/**
 * By the server's discovery, a warning of an API group that it does not have, whose rights roles may name all the same. Throws
 * Failure, usage, for a resource that a group of the server does not have, and for a verb that the resource does not know.
 */
export async function unknownRequest(
  client: Client,
  { verb, group, resource }: AskedRight,
): Promise<string[]> {
  const resources = await resourcesOf(client, group);
  if (resources === undefined) return [];
  const names = resources.flatMap((one) => textIn(one, 'name') ?? []);
  const called = group === '' ? resource : `${resource}.${group}`;
  const found = resources.find((one) => textIn(one, 'name') === resource);
  if (found === undefined) {
    const words = [...NOUNS.map(({ word }) => word), ...names];
    const absent = `this server has no resource "${called}"${suggestion(resource, words)}`;
    if (resources.length === 0) return [absent];
    throw usage(absent);
  }
  const verbs = [...listOf(membersOf(found).verbs), ...RIGHTS].map(String);
  if (verb === '*' || verbs.includes(verb)) return [];
  throw usage(
    `${called} know no verb "${verb}"${verbSuggestion(verb, verbs)}; they know ${verbs.join(', ')}`,
  );
}

/** Undefined where the caller may not read the discovery. */
async function resourcesOf(client: Client, group: string): Promise<readonly unknown[] | undefined> {
  if (group === '') return listed(await findOf(client.read('/api/v1')));
  const path = `/apis/${encodeURIComponent(group)}`;
  const found = await findOf(client.read(path));
  const version = textIn(membersOf(found).preferredVersion, 'version');
  if (version === undefined) return found === 'absent' ? [] : undefined;
  return listed(await findOf(client.read(`${path}/${encodeURIComponent(version)}`)));
}

const listed = (found: unknown): readonly unknown[] | undefined =>
  found === 'hidden' ? undefined : listOf(membersOf(found).resources);
