import { readFile } from 'node:fs/promises';
import type { GroupRuleReview } from '../../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import { givenByRules } from '../../../../api/management.svc.example/givenbyrules.js';
import { claimsIn } from '../../../../api/client/tokenclaims.js';
import type { Cli, Verb } from '../../cli.js';
import { messageOf, usage } from '../../failure.js';
import { managementObject } from '../../objects.js';
import { chosenFormat, printColumns, printObject } from '../../output/output.js';

const EXAMPLES = `
Examples:
  platform test claims claims.json
  platform test claims - < id-token

FILE has claims as JSON, or a whole ID token. Of a token its claims alone are sent, and it is not verified.
`;

/** `platform test claims FILE`. */
export const test: Verb = (program, cli) => {
  program
    .command('test')
    .description('Try what group rules would give.')
    .command('claims <file>')
    .description('Show which teams and roles a login with these claims would get. - is standard input.')
    .option('--issuer <url>', 'Issuer of the claims (default: their iss).')
    .option('-o, --output <format>', 'json or yaml.')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: TestOptions) => testClaims(cli, file, options));
};

type Given = NonNullable<NonNullable<GroupRuleReview['status']>['given']>[number];

interface TestOptions {
  readonly issuer?: string;
  readonly output?: string;
}

async function testClaims(cli: Cli, file: string, { issuer, output }: TestOptions): Promise<void> {
  const format = chosenFormat(output, ['json', 'yaml']);
  const { tell } = cli.terminal;
  const claims = claimsIn(await textOf(cli, file));
  if (claims === undefined) throw usage('the file must have claims as a JSON object, or a signed token');
  const client = await cli.connect();
  const spec = { claims, ...(issuer !== undefined && { issuer }) };
  const body = managementObject('GroupRuleReview', {}, { spec });
  const answer = await client.create<GroupRuleReview>({ resource: 'grouprulereviews' }, body);
  const { notes = [], otherIssuer = [] } = answer.status ?? {};
  const given = givenByRules(answer.status ?? {});
  for (const note of notes) tell(`Warning: ${note}`);
  if (otherIssuer.length > 0) tell(`These would apply to another issuer only: ${otherIssuer.join(', ')}.`);
  if (format !== undefined) return printObject(format, answer, cli.write);
  if (given.length === 0) return tell('No group rule applies.');
  const rows = given.map((one) => [whatIn(one), one.rule, `${one.claim}: ${one.value}`]);
  await printColumns(['Gets', 'By group rule', 'For'], rows, cli.write);
}

function whatIn({ team, project, clusterRole }: Given): string {
  if (project === undefined) return `team ${team}`;
  return `${clusterRole} in project ${project}${team === undefined ? '' : ` (team ${team})`}`;
}

async function textOf({ terminal }: Cli, file: string): Promise<string> {
  if (file === '-') return (await terminal.readAll()).toString('utf8');
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw usage(`${file} cannot be read: ${messageOf(error)}`);
  }
}
