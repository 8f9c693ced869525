/** How `platform set secret` writes entries. */
import type { KubeObject } from '../../../../api/resource.js';
import type { Cli } from '../../cli.js';
import { type Client, ifFound } from '../../connection/client.js';
import { retryOnConflict } from '../../connection/retry.js';
import { Failure } from '../../failure.js';
import { confirm } from '../../output/terminal.js';
import type { YesOption } from '../../output/warnings.js';
import { entriesOf, newSecret, type secretPlace } from '../../secret.js';
import { type Entries, dataOf, quotedKeys } from './values.js';

type SecretPlace = Awaited<ReturnType<typeof secretPlace>> & { name: string };

/** Other entries are not touched, also if somebody changes them meanwhile. Answers how many there are. */
export function setEntries(client: Client, place: SecretPlace, entries: Entries): Promise<number> {
  const patch = { spec: { data: dataOf(entries) } };
  return retryOnConflict(async () => {
    const written = await ifFound(client.merge(place, patch));
    if (written === undefined) await create(client, place, entries);
    return written === undefined ? 0 : othersIn(written, entries).length;
  });
}

/**
 * The secret has these entries alone then, also if somebody changes it meanwhile. Asks before others go, and rejects with
 * a Failure if the answer is no, or nobody can be asked. Answers how many went.
 */
export function replaceEntries(
  { terminal }: Cli,
  client: Client,
  place: SecretPlace,
  entries: Entries,
  { yes = false }: YesOption,
): Promise<number> {
  return retryOnConflict(async () => {
    const secret = await ifFound(client.get(place));
    if (secret === undefined) await create(client, place, entries);
    if (secret === undefined) return 0;
    const others = othersIn(secret, entries);
    const what = `${quotedKeys(others)} of secret "${place.name}"`;
    const sure =
      yes ||
      others.length === 0 ||
      (await confirm(terminal, `Remove ${what}?`, `say --yes to remove ${what}`));
    if (!sure) throw new Failure('failed', 'nothing was changed');
    const removed = Object.fromEntries(others.map((key) => [key, null]));
    const { resourceVersion = '' } = secret.metadata;
    const data = { ...removed, ...dataOf(entries) };
    await client.merge(place, { metadata: { resourceVersion }, spec: { data } });
    return others.length;
  });
}

function create(client: Client, { name, ...collection }: SecretPlace, entries: Entries): Promise<KubeObject> {
  return client.create(collection, newSecret(collection, name, { data: dataOf(entries) }));
}

const othersIn = (secret: KubeObject, entries: Entries): string[] =>
  entriesOf(secret).flatMap(([key]) => (Object.hasOwn(entries, key) ? [] : [key]));
