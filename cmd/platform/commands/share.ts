import type { KubeObject } from '../../../api/resource.js';
import type { Verb } from '../cli.js';
import type { Client, Place } from '../connection/client.js';
import { usage } from '../failure.js';
import { againOnConflict } from '../connection/retry.js';
import { type SecretOptions, secretPlace } from '../secret.js';

const EXAMPLES = `
Examples:
  platform share secret database --user ada
  platform share secret database --team web --verbs get,update
`;

interface ShareOptions extends Pick<SecretOptions, 'namespace' | 'project'> {
  readonly user?: string[];
  readonly team?: string[];
  readonly verbs: string;
}

interface AccessRule {
  readonly verbs?: readonly string[];
  readonly subresources?: readonly string[];
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
}

/** `platform share secret NAME`: adds a rule to the secret's access. */
export const share: Verb = (program, cli) => {
  program
    .command('share')
    .description('Share what you own.')
    .command('secret <name>')
    .description('Give users and teams rights on a secret.')
    .option('--user <user...>', 'Users who get the rights.')
    .option('--team <team...>', 'Teams who get the rights.')
    .option('--verbs <verbs>', 'The rights, separated by commas.', 'get')
    .option('-n, --namespace <namespace>', 'Namespace of a shared secret (default: default).')
    .option('--project <project>', 'A secret of this project.')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, options: ShareOptions) => {
      const { user: users = [], team: teams = [] } = options;
      if (users.length + teams.length === 0) throw usage('name a --user or a --team');
      const verbs = options.verbs.split(',').map((verb) => verb.trim());
      if (verbs.includes('')) throw usage('--verbs wants them as in get,update');
      const client = await cli.connect();
      await addRule(client, { ...(await secretPlace(client, options)), name }, { verbs, users, teams });
      cli.terminal.tell(`Secret "${name}" is shared.`);
    });
};

/** The rule joins one with the same verbs, so that sharing with many takes few rules. */
async function addRule(
  client: Client,
  place: Place,
  rule: Required<Omit<AccessRule, 'subresources'>>,
): Promise<void> {
  await againOnConflict(async () => client.replace(place, withRule(await client.get(place), rule)));
}

function withRule(secret: KubeObject, rule: Required<Omit<AccessRule, 'subresources'>>): KubeObject {
  const spec = (secret.spec ?? {}) as { access?: readonly AccessRule[] };
  const { access = [] } = spec;
  const verbs = sorted(rule.verbs);
  const at = access.findIndex((one) => sorted(one.verbs) === verbs && (one.subresources ?? []).length === 0);
  const found = access[at];
  if (found === undefined) return { ...secret, spec: { ...spec, access: [...access, rule] } };
  const joined = { ...found, users: union(found.users, rule.users), teams: union(found.teams, rule.teams) };
  return { ...secret, spec: { ...spec, access: access.with(at, joined) } };
}

const sorted = (verbs: readonly string[] = []): string => [...verbs].sort().join(',');
const union = (one: readonly string[] = [], other: readonly string[]): string[] => [
  ...new Set([...one, ...other]),
];
