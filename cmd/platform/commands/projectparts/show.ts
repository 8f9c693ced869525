/** `platform get|list member|allowedcluster|quota --project NAME`. */
import type { Command } from 'commander';
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { Failure, usage } from '../../failure.js';
import { formatUnlessTemplate, printColumns } from '../../output/output.js';
import { writeObject } from '../nouns/getobject.js';
import { orSimilar } from '../nouns/unknownnames.js';
import { type Entry, PROJECT_PARTS, type ProjectPart } from './parts.js';
import { watchParts } from './watch.js';

interface PartOptions {
  readonly project: string;
  readonly output?: string;
}

interface ListPartsOptions extends PartOptions {
  readonly watch?: boolean;
  readonly outputWatchEvents?: boolean;
}

export function listProjectParts(command: Command, cli: Cli): void {
  for (const part of PROJECT_PARTS)
    command
      .command(part.word)
      .alias(`${part.word}s`)
      .description(`List ${part.many}.`)
      .requiredOption('--project <project>', 'The project.')
      .option('-o, --output <format>', 'json, yaml, name or jsonpath=TEMPLATE.')
      .option('-w, --watch', 'After listing, watch for changes until Ctrl-C or until the credentials expire.')
      .option('--output-watch-events', 'With --watch: say what each change is.')
      .addHelpText('after', `\nExample:\n  platform list ${part.word}s --project web\n`)
      .action((options: ListPartsOptions) => listParts(cli, part, options));
}

async function listParts(cli: Cli, part: ProjectPart, options: ListPartsOptions): Promise<void> {
  const { project, watch = false, outputWatchEvents: events = false } = options;
  const { output } = options;
  const format = formatUnlessTemplate(output, ['json', 'yaml', 'name']);
  if (events && !watch) throw usage('--output-watch-events needs --watch');
  if (watch && output !== undefined && format === undefined) throw usage('--watch takes no jsonpath');
  const client = await cli.connect();
  const entries = await entriesIn(client, part, project);
  if (watch) return watchParts(cli, client, part, { project, format, events });
  if (format === 'name') return cli.write(entries.map(({ name }) => `${name}\n`).join(''));
  if (output !== undefined) return writeObject(cli, output, { items: entries }, '');
  if (entries.length === 0) return cli.terminal.tell(part.none(project));
  await printColumns(part.headings, entries.map(part.cellsOf), cli.write);
}

export function getProjectParts(command: Command, cli: Cli): void {
  for (const part of PROJECT_PARTS) {
    const one = command
      .command(`${part.word} <name>`)
      .alias(`${part.word}s`)
      .description(`Show ${part.one}.`)
      .requiredOption('--project <project>', 'The project.')
      .option('-o, --output <format>', 'json, yaml, name or jsonpath=TEMPLATE.');
    if (part.word === 'member') one.option('--team', 'NAME is a team.');
    one
      .addHelpText('after', `\nExample:\n  platform get ${part.word} ${part.example} --project web -o json\n`)
      .action((name: string, options: PartOptions & { team?: boolean }) => getPart(cli, part, name, options));
  }
}

async function getPart(
  cli: Cli,
  part: ProjectPart,
  name: string,
  { project, output, team = false }: PartOptions & { readonly team?: boolean },
): Promise<void> {
  formatUnlessTemplate(output, ['json', 'yaml', 'name']);
  const entries = await entriesIn(await cli.connect(), part, project);
  const kind = team ? 'Team' : 'User';
  const wanted = part.nameOf?.(name) ?? name;
  const entry = entries.find((one) => one.name === wanted && (one.kind ?? kind) === kind);
  if (entry === undefined) {
    const what = part.word === 'member' ? `member ${kind.toLowerCase()}` : part.word;
    const why = `project "${project}" has no ${what} "${name}"`;
    throw new Failure('notFound', `${why}; see "platform list ${part.word}s --project ${project}"`);
  }
  if (output !== undefined) return writeObject(cli, output, entry, entry.name);
  await printColumns(part.headings, [part.cellsOf(entry)], cli.write);
}

/** The parts of a project, in the order in which it names them. */
export async function entriesIn(client: Client, part: ProjectPart, project: string): Promise<Entry[]> {
  const place = { resource: 'projects', name: project };
  const { spec = {} } = await orSimilar(client, place, client.get<Project>(place));
  return part.entriesOf(spec, client, project);
}
