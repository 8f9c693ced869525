import type { KubeObject } from '../../../api/resource.js';
import type { Verb } from '../cli.js';
import type { Client, Place } from '../connection/client.js';
import { Failure, usage } from '../failure.js';
import { UNKNOWN_OPTION, warnAndAsk, YES_OPTION, type NamesOptions } from '../output/warnings.js';
import { orSimilar, unknownNames } from './nouns/unknownnames.js';
import { verbSuggestion } from './nouns/verbs.js';
import { retryOnConflict } from '../connection/retry.js';
import { type SecretOptions, secretPlace } from '../secret.js';

const EXAMPLES = `
Examples:
  platform share secret database --user ada
  platform share secret database --team web --verbs get,update,patch     they may also set entries
  platform share secret database --user ada --verbs sync
  platform share secret database --to-project web --verbs sync
`;

/** Verbs of a kind that apply to no object, and verbs on secrets that only name a right. */
const OF_COLLECTIONS: readonly string[] = ['create', 'deletecollection'];
const RIGHTS: readonly string[] = ['sync', 'escalate'];

interface ShareOptions extends Pick<SecretOptions, 'namespace' | 'project'>, NamesOptions {
  readonly user?: string[];
  readonly team?: string[];
  readonly toProject?: string[];
  readonly verbs: string;
}

interface AccessRule {
  readonly verbs?: readonly string[];
  readonly subresources?: readonly string[];
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
  readonly projects?: readonly string[];
}

/** `platform share secret NAME`: adds a rule to the secret's access. */
export const share: Verb = (program, cli) => {
  program
    .command('share')
    .description('Share an object that you own.')
    .command('secret <name>')
    .description('Grant users and teams access to a secret.')
    .option('--user <user...>', 'Users who get the rights.')
    .option('--team <team...>', 'Teams who get the rights.')
    .option('--to-project <project...>', 'Projects whose spaces may have the secret, with --verbs sync.')
    .option('--verbs <verbs>', 'The rights, separated by commas. Spaces of a user need sync.', 'get')
    .option('-n, --namespace <namespace>', 'Namespace of a shared secret (default: default).')
    .option('--project <project>', 'A secret of this project.')
    .option(...UNKNOWN_OPTION)
    .option(...YES_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, options: ShareOptions) => {
      const { user: users = [], team: teams = [], toProject: projects = [] } = options;
      if (users.length + teams.length + projects.length === 0)
        throw usage('name a --user, a --team or a --to-project');
      const verbs = options.verbs.split(',').map((verb) => verb.trim());
      if (projects.length > 0 && verbs.join() !== 'sync')
        throw usage('--to-project takes --verbs sync alone');
      if (verbs.includes('')) throw usage('--verbs wants them as in get,update,patch');
      const client = await cli.connect();
      const unknown = [
        ...(await unknownVerbs(verbs)),
        ...(await unknownNames(client, { users, teams, projects })),
      ];
      await warnAndAsk(cli, { unknown }, options);
      const place = { ...(await secretPlace(client, options)), name };
      await orSimilar(
        client,
        place,
        addRule(client, place, { verbs, users, teams, projects }),
        options.project,
      );
      cli.terminal.tell(`Secret "${name}" is shared.`);
    });
};

/** The kind is loaded only here: that takes longer than the start of the program. */
async function unknownVerbs(verbs: readonly string[]): Promise<string[]> {
  const { SharedSecret: kind } = await import('../../../api/management.svc.example/v1/sharedsecret.js');
  const known = [...kind.verbs.filter((verb) => !OF_COLLECTIONS.includes(verb)), ...RIGHTS];
  return verbs
    .filter((verb) => verb !== '*' && !known.includes(verb))
    .map(
      (verb) => `secrets know no verb "${verb}"${verbSuggestion(verb, known)}; they know ${known.join(', ')}`,
    );
}

interface UnshareOptions extends Omit<ShareOptions, 'verbs' | 'yes'> {
  readonly verbs?: string;
}

/** `platform unshare secret NAME`: takes users and teams out of the secret's access. */
export const unshare: Verb = (program, cli) => {
  program
    .command('unshare')
    .description('Stop sharing an object.')
    .command('secret <name>')
    .description('Revoke the access of users and teams to a secret.')
    .option('--user <user...>', 'Users who lose the rights.')
    .option('--team <team...>', 'Teams that lose the rights.')
    .option('--to-project <project...>', 'Projects whose spaces lose the secret.')
    .option('--verbs <verbs>', 'The rights, separated by commas (default: all).')
    .option('-n, --namespace <namespace>', 'Namespace of a shared secret (default: default).')
    .option('--project <project>', 'A secret of this project.')
    .addHelpText('after', '\nExample:\n  platform unshare secret database --user ada\n')
    .action(async (name: string, options: UnshareOptions) => {
      const { user: users = [], team: teams = [], toProject: projects = [] } = options;
      if (users.length + teams.length + projects.length === 0)
        throw usage('name a --user, a --team or a --to-project');
      const verbs = options.verbs?.split(',').map((verb) => verb.trim());
      const client = await cli.connect();
      const place = { ...(await secretPlace(client, options)), name };
      await retryOnConflict(async () =>
        client.replace(place, withoutRules(await client.get(place), { verbs, users, teams, projects })),
      );
      cli.terminal.tell(
        `Secret "${name}" is no longer shared with ${[...users, ...teams, ...projects].join(', ')}.`,
      );
    });
};

interface Taken {
  readonly verbs: readonly string[] | undefined;
  readonly users: readonly string[];
  readonly teams: readonly string[];
  readonly projects: readonly string[];
}

/** Throws Failure if none of these subjects had a right. */
function withoutRules(secret: KubeObject, taken: Taken): KubeObject {
  const spec: { access?: readonly AccessRule[] } = secret.spec ?? {};
  const { access = [] } = spec;
  const left = access.flatMap((rule) => ruleWithout(rule, taken));
  if (JSON.stringify(left) === JSON.stringify(access))
    throw new Failure('notFound', 'none of them has such a right by the access of the secret');
  return { ...secret, spec: { ...spec, access: left } };
}

/** The rest of a rule: other subjects keep all of it, and these keep the other verbs. */
function ruleWithout(rule: AccessRule, { verbs, ...taken }: Taken): AccessRule[] {
  const { verbs: had = [] } = rule;
  const lost = subjectsWhere(rule, (list, name) => taken[list].includes(name));
  if (isEmpty(lost)) return [rule];
  if (verbs !== undefined && !verbs.some((verb) => had.includes(verb) || had.includes('*'))) return [rule];
  if (verbs !== undefined && had.includes('*'))
    throw usage('the right is a part of *: take all with no --verbs, then share what is to stay');
  const others = subjectsWhere(rule, (list, name) => !taken[list].includes(name));
  const kept = verbs === undefined ? [] : had.filter((verb) => !verbs.includes(verb));
  return [
    ...(isEmpty(others) ? [] : [{ ...rule, ...others }]),
    ...(kept.length > 0 ? [{ ...rule, verbs: kept, ...lost }] : []),
  ];
}

const SUBJECTS = ['users', 'teams', 'projects'] as const;
type Subjects = Partial<Record<(typeof SUBJECTS)[number], readonly string[]>>;

/** The subjects of a rule that `is` selects, in the lists that the rule has. */
function subjectsWhere(
  rule: AccessRule,
  is: (list: (typeof SUBJECTS)[number], name: string) => boolean,
): Subjects {
  const lists = SUBJECTS.filter((list) => rule[list] !== undefined);
  return Object.fromEntries(lists.map((list) => [list, rule[list]?.filter((name) => is(list, name))]));
}

const isEmpty = (subjects: Subjects): boolean =>
  SUBJECTS.every((list) => (subjects[list] ?? []).length === 0);

/** The rule joins one with the same verbs, so that sharing with many takes few rules. */
async function addRule(
  client: Client,
  place: Place,
  rule: Required<Omit<AccessRule, 'subresources'>>,
): Promise<void> {
  await retryOnConflict(async () => client.replace(place, withRule(await client.get(place), rule)));
}

function withRule(secret: KubeObject, rule: Required<Omit<AccessRule, 'subresources'>>): KubeObject {
  const spec: { access?: readonly AccessRule[] } = secret.spec ?? {};
  const { access = [] } = spec;
  const verbs = sorted(rule.verbs);
  const at = access.findIndex((one) => sorted(one.verbs) === verbs && (one.subresources ?? []).length === 0);
  const found = access[at];
  if (found === undefined) {
    const { projects, ...others } = rule;
    const added = projects.length > 0 ? rule : others;
    return { ...secret, spec: { ...spec, access: [...access, added] } };
  }
  const joined = { ...found, ...unionOf(found, rule) };
  return { ...secret, spec: { ...spec, access: access.with(at, joined) } };
}

function unionOf(one: AccessRule, other: Required<Omit<AccessRule, 'subresources'>>): Subjects {
  const projects = union(one.projects, other.projects);
  return {
    users: union(one.users, other.users),
    teams: union(one.teams, other.teams),
    ...(projects.length > 0 && { projects }),
  };
}

const sorted = (verbs: readonly string[] = []): string => [...verbs].sort().join(',');
const union = (one: readonly string[] = [], other: readonly string[]): string[] => [
  ...new Set([...one, ...other]),
];
