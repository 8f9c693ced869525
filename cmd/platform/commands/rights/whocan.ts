import type {
  ResourceAccessReview,
  Way,
} from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import type { Verb } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { usage } from '../../failure.js';
import { placeOf, type PlaceOptions } from '../../kinds.js';
import { NOUNS } from '../../nouns.js';
import { findOf, unknownNames } from '../nouns/unknownnames.js';
import { type AskedRight, unknownRequest } from '../nouns/unknownrequest.js';
import { managementObject } from '../../objects.js';
import { projectNamespace } from '../../project.js';
import { chosenFormat, printColumns, printObject } from '../../output/output.js';

const EXAMPLES = `
Examples:
  platform who-can get secret database
  platform who-can use space staging --project web
  platform who-can get project/members web
  platform who-can list deployments.apps --namespace default -o json

A RESOURCE is a noun of other commands, or the plural of any kind with its API group. A dot stands for the core group:
secrets. is not secret. Standard error says what you may not read, and what does not exist.
`;

/** Whoever may read nothing of it is told of nobody: there may be many. */
const NOBODY_SEEN =
  'Nobody, as far as you may see. Ask the owner of the object or of its project, or whoever runs this server: they see who has it, and can share it with you.';

const GROUP = 'management.svc.example';
/** Has no noun of its own: `secret` with `--project` stands for it. */
const IN_PROJECTS = 'projectsecrets';
const REVIEWS = { resource: 'resourceaccessreviews' };

type Options = PlaceOptions & { readonly output?: string };

/** `platform who-can VERB RESOURCE [NAME]`. */
export const whoCan: Verb = (program, { connect, terminal: { tell }, write }) => {
  program
    .command('who-can <verb> <resource> [name]')
    .description('Show who can do something, and by what.')
    .option('-n, --namespace <namespace>', 'Namespace of the object.')
    .option('--project <project>', 'Project of the object.')
    .option('-o, --output <format>', 'json or yaml.')
    .addHelpText('after', EXAMPLES)
    .action(async (verb: string, resource: string, name: string | undefined, options: Options) => {
      const format = chosenFormat(options.output, ['json', 'yaml']);
      const client = await connect();
      const place = await placeFor(client, resource, options);
      for (const warning of await unknownIn(client, verb, place, name, options)) tell(`Warning: ${warning}`);
      const spec = { verb, name, ...place };
      const body = managementObject('ResourceAccessReview', {}, { spec });
      const { status = {} } = await client.create<ResourceAccessReview>(REVIEWS, body);
      for (const note of notesOf(status)) tell(note);
      if (format !== undefined) return printObject(format, { ...body, status }, write);
      const { ways = [], unread = [] } = status;
      if (ways.length === 0) return tell(unread.length === 0 ? 'Nobody.' : NOBODY_SEEN);
      await printColumns(['Who', 'By'], ways.map(toldOf), write);
    });
};

type Limits = Pick<NonNullable<ResourceAccessReview['status']>, 'unread' | 'truncated' | 'incomplete'>;

/** What an answer may lack. */
export const notesOf = ({ unread = [], truncated, incomplete }: Limits): string[] => [
  ...(unread.length > 0 ? [`You may not read these, which may grant it, too: ${unread.join(', ')}.`] : []),
  ...(truncated ? ['There are more ways than the server tells.'] : []),
  ...(incomplete ? ['The API server of the cluster may allow more than its roles and bindings say.'] : []),
];

const textsOf = ({ steps }: Way): string[] =>
  steps.map(({ kind, namespace, name, verbs }) => {
    const text = `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
    return verbs === undefined ? text : `${text} (${verbs.join(',')})`;
  });

/** Who it is, and by what. */
export function toldOf(way: Way): readonly [who: string, by: string] {
  const [who = '', ...by] = textsOf(way);
  return [who, [...by, ...(way.uncertain ? ['perhaps'] : [])].join(', ')];
}

type AskedPlace = Pick<AskedRight, 'group' | 'resource'> & {
  readonly namespace?: string | undefined;
  readonly subresource: string | undefined;
};

/** What is asked may be misspelled. The answer is that of the server, whether it is there or not. */
async function unknownIn(
  client: Client,
  verb: string,
  { group, resource, namespace }: AskedPlace,
  name: string | undefined,
  { project }: PlaceOptions,
): Promise<string[]> {
  const unknown = [
    ...(await unknownRequest(client, { verb, group, resource })),
    ...(project === undefined ? [] : await unknownNames(client, { projects: [project] })),
  ];
  if (unknown.length > 0 || name === undefined || group !== GROUP) return unknown;
  const place = { resource, name, ...(namespace !== undefined && { namespace }) };
  return (await findOf(client.get(place))) === 'absent' ? [`there is no ${resource} "${name}" there`] : [];
}

/** A noun stands for its resource, unless the text has another group. */
async function placeFor(client: Client, text: string, options: PlaceOptions): Promise<AskedPlace> {
  const [path = '', subresource] = text.split('/');
  const [given = '', ...dotted] = path.split('.');
  const group = dotted.join('.');
  const noun = NOUNS.find(({ word, plural }) => [word, `${word}s`, plural].includes(given));
  if (noun !== undefined && (dotted.length === 0 || group === GROUP))
    return { group: GROUP, subresource, ...(await placeOf(client, noun, options)) };
  if (given === IN_PROJECTS && ['', GROUP].includes(group)) {
    const { project, namespace } = options;
    const where = project === undefined ? namespace : await projectNamespace(client, project);
    return { group: GROUP, resource: given, subresource, namespace: where };
  }
  if (options.project !== undefined) throw usage(`--project: ${path} are not in projects`);
  return { group, resource: given, subresource, namespace: options.namespace };
}
