import { listOf, membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import { suggestion } from '../../../../pkg/apimachinery/similar.js';
import type { Client } from '../../connection/client.js';
import { NOUNS } from '../../kinds.js';
import { findOf } from './unknownnames.js';

/** What a question about a right names. */
export interface AskedRight {
  readonly verb: string;
  /** `''`: the core group. */
  readonly group: string;
  readonly resource: string;
}

/** Verbs that only name a right: no request has them. */
const RIGHTS = ['use', 'sync', 'import', 'bind', 'escalate', 'impersonate', 'approve', 'sign', 'attest'];

/** Warnings of a resource that the server does not have, and of a verb that it does not know, by its discovery. */
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
    return [`this server has no resource "${called}"${suggestion(resource, words)}`];
  }
  const verbs = [...listOf(membersOf(found).verbs), ...RIGHTS].map(String);
  if (verb === '*' || verbs.includes(verb)) return [];
  return [`${called} know no verb "${verb}"${suggestion(verb, verbs)}; they know ${verbs.join(', ')}`];
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
