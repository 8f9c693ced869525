/** What `platform set secret` refuses, or asks about, before it writes. */
import { teamsIn, ownerOf, type Owner } from '../../../../pkg/management/sharing/rights.js';
import type { KubeObject } from '../../../../api/resource.js';
import type { Cli } from '../../cli.js';
import { type Client, ifReadable, type Place } from '../../connection/client.js';
import { Failure, usage } from '../../failure.js';
import { confirm } from '../../output/terminal.js';
import { entriesOf } from '../../secret.js';
import { nameOfSelf, selfOf } from '../../self.js';
import { dataOf, type Entries, quotedKeys } from './values.js';

/** Throws Failure, usage, for an empty value: the command before a pipe may have failed. */
export function mustHaveValues(entries: Entries): void {
  const empty = Object.keys(entries).filter((key) => entries[key]?.length === 0);
  if (empty.length > 0)
    throw usage(`the value of ${quotedKeys(empty)} is empty: say --allow-empty if it is to be`);
}

/**
 * Asks before values of a secret are replaced that belongs to somebody else. Rejects with a Failure if the answer is no,
 * or nobody can be asked. A caller who may not read the secret, or not ask who they are, is not asked.
 */
export async function askToOverwrite(
  { terminal }: Cli,
  client: Client,
  place: Place,
  entries: Entries,
): Promise<void> {
  const secret = await ifReadable(client.get(place));
  const replaced = secret === undefined ? [] : replacedIn(secret, entries);
  if (secret === undefined || replaced.length === 0) return;
  const owner = ownerOf(secret);
  if (await isMine(client, owner)) return;
  // Who may not write is told that, and not asked.
  await client.merge({ ...place, query: 'dryRun=All' }, { spec: { data: dataOf(entries) } });
  const whose = owner.user === undefined ? `team "${owner.team}"` : `user "${owner.user}"`;
  const what = `${quotedKeys(replaced)} of secret "${place.name}", which belongs to ${whose}`;
  if (!(await confirm(terminal, `Overwrite ${what}?`, `say --yes to overwrite ${what}`)))
    throw new Failure('failed', 'nothing was changed');
}

const replacedIn = (secret: KubeObject, entries: Entries): string[] =>
  entriesOf(secret).flatMap(([key, value]) => (entries[key]?.equals(value) === false ? [key] : []));

async function isMine(client: Client, { user, team }: Owner): Promise<boolean> {
  if (!user && !team) return true;
  const self = await ifReadable(selfOf(client));
  if (self === undefined) return true;
  return nameOfSelf(self) === (user ?? team) || (!!team && teamsIn(self.groups ?? []).includes(team));
}
