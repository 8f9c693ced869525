/** `platform list member|allowedcluster|quota --watch`: what there is, and then what changes in the project. */
import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { printObject, rowPrinter } from '../../output/output.js';
import { followList, type Change } from '../nouns/followlist.js';
import { objectSource } from '../nouns/watchlist.js';
import type { Entry, ProjectPart } from './parts.js';

export interface PartsWatch {
  readonly project: string;
  readonly format: 'json' | 'yaml' | 'name' | undefined;
  /** Whether a column has the type of each change. */
  readonly events: boolean;
}

/** Ends by a Failure alone. */
export async function watchParts(
  cli: Cli,
  client: Client,
  part: ProjectPart,
  options: PartsWatch,
): Promise<void> {
  const show = printerOf(cli, part, options);
  const query = `fieldSelector=${encodeURIComponent(`metadata.name=${options.project}`)}`;
  let before: readonly Entry[] = [];
  await followList(objectSource(cli, client, { resource: 'projects', query }), async (changes) => {
    const last = changes.at(-1);
    if (last === undefined) return;
    const spec = last.type === 'DELETED' ? {} : (last.value.spec ?? {});
    const after = await part.entriesOf(spec, client, options.project);
    await show(differences(before, after));
    before = after;
  });
}

function printerOf(
  { write }: Cli,
  { headings, cellsOf }: ProjectPart,
  { format, events }: PartsWatch,
): (changes: readonly Change<Entry>[]) => Promise<void> {
  const print = rowPrinter(write);
  return async (changes) => {
    if (format === undefined) {
      const rows = changes.map(({ type, value }) => [...(events ? [type.padEnd(8)] : []), ...cellsOf(value)]);
      if (rows.length > 0) print([...(events ? ['Event'] : []), ...headings], rows);
      return;
    }
    for (const { type, value } of changes) {
      if (format === 'name') {
        write(`${events ? `${type} ` : ''}${value.name}\n`);
        continue;
      }
      if (format === 'yaml') write('---\n');
      await printObject(format, events ? { type, object: value } : value, write);
    }
  };
}

const idOf = ({ kind = '', name }: Entry): string => `${kind}/${name}`;

function differences(before: readonly Entry[], after: readonly Entry[]): Change<Entry>[] {
  const known = new Map(before.map((entry) => [idOf(entry), JSON.stringify(entry)]));
  const there = new Set(after.map(idOf));
  const gone = before.filter((entry) => !there.has(idOf(entry)));
  return [
    ...gone.map((value): Change<Entry> => ({ type: 'DELETED', value })),
    ...after.flatMap((value): Change<Entry>[] => {
      const was = known.get(idOf(value));
      if (was === JSON.stringify(value)) return [];
      return [{ type: was === undefined ? 'ADDED' : 'MODIFIED', value }];
    }),
  ];
}
