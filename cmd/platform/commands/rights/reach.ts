import type { Way } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import type { SubjectObjectsReview } from '../../../../api/management.svc.example/v1/subjectobjectsreview.js';
import type { Cli, Verb } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { managementObject } from '../../objects.js';
import { chosenFormat, printColumns, printObject } from '../../output/output.js';
import { orSimilar } from '../nouns/unknownnames.js';
import { notesOf, toldOf } from './whocan.js';

const EXAMPLES = `
Examples:
  platform reach ada
  platform reach ada --verb update
  platform reach ops --team -o json

The answer has the projects, secrets, spaces, virtual clusters, clusters and access keys that you see yourself. "platform who-can get secret NAME" asks about one of them.
`;

const REVIEWS = { resource: 'subjectobjectsreviews' };

interface Options {
  readonly team?: boolean;
  readonly verb: string;
  readonly output?: string;
}

type Spec = NonNullable<SubjectObjectsReview['spec']>;
type Status = NonNullable<SubjectObjectsReview['status']>;

/** `platform reach NAME`: with which objects a user or a team can do something. */
export const reach: Verb = (program, cli) => {
  program
    .command('reach <name>')
    .description('Show what a user or a team can read, and by what.')
    .option('--team', 'NAME is a team.')
    .option('--verb <verb>', 'What they do with it: get, update, delete, use, …', 'get')
    .option('-o, --output <format>', 'json or yaml.')
    .addHelpText('after', EXAMPLES)
    .action((name: string, options: Options) => printReach(cli, name, options));
};

async function printReach({ connect, terminal, write }: Cli, name: string, options: Options): Promise<void> {
  const format = chosenFormat(options.output, ['json', 'yaml']);
  const { team: isTeam = false, verb } = options;
  const client = await connect();
  const place = { resource: isTeam ? 'teams' : 'users', name };
  const spec = { ...(isTeam ? { team: name } : { user: name }), verb };
  const status = await orSimilar(client, place, reached(client, spec));
  const { objects = [] } = status;
  for (const note of notesOf(status)) terminal.tell(note);
  if (format !== undefined)
    return printObject(format, managementObject('SubjectObjectsReview', {}, { spec, status }), write);
  if (objects.length === 0)
    return terminal.tell(`Nothing that you see, as far as you may know: "${name}" can ${verb} none of it.`);
  const rows = objects.map(({ resource, namespace = '', name: of, ways: [first, ...more] }) => {
    const by = first === undefined ? '' : byOf(first);
    return [resource, namespace, of, more.length === 0 ? by : `${by}, and ${more.length} more`];
  });
  await printColumns(['Resource', 'Namespace', 'Name', 'By'], rows, write);
}

/** Without the person or the keys of a team, who are asked about. */
function byOf(way: Way): string {
  const [who, by] = toldOf(way);
  const isAsked = ['User', 'TeamKey'].includes(way.steps[0]?.kind ?? '');
  return isAsked ? by : `${who}, ${by}`;
}

/** The whole answer, of as many requests as it takes. Rejects with Failure. */
async function reached(client: Client, spec: Spec): Promise<Status> {
  const objects: NonNullable<Status['objects']> = [];
  let all: Status = {};
  for (let from: string | undefined = ''; from !== undefined; from = all.continue) {
    const asked = from === '' ? spec : { ...spec, continue: from };
    const body = managementObject('SubjectObjectsReview', {}, { spec: asked });
    const { status = {} } = await client.create<SubjectObjectsReview>(REVIEWS, body);
    objects.push(...(status.objects ?? []));
    all = { ...all, ...status, continue: status.continue };
  }
  const { continue: _end, ...whole } = all;
  return { ...whole, objects };
}
