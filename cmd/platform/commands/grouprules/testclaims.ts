import { readFile } from 'node:fs/promises';
import type { GroupRuleReview } from '../../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import { isObject } from '../../../../pkg/apimachinery/encoding/members.js';
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
  const client = await cli.connect();
  const spec = { claims, ...(issuer !== undefined && { issuer }) };
  const body = managementObject('GroupRuleReview', {}, { spec });
  const answer = await client.create<GroupRuleReview>({ resource: 'grouprulereviews' }, body);
  const { given = [], notes = [], otherIssuer = [] } = answer.status ?? {};
  for (const note of notes) tell(`Warning: ${note}`);
  if (otherIssuer.length > 0) tell(`These would apply to another issuer only: ${otherIssuer.join(', ')}.`);
  if (format !== undefined) return printObject(format, answer, cli.write);
  if (given.length === 0) return tell('No rule applies.');
  const rows = given.map((one) => [whatIn(one), one.rule, `${one.claim}: ${one.value}`]);
  await printColumns(['Gets', 'By rule', 'For'], rows, cli.write);
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

/** Throws Failure, usage, which shows nothing of the text. */
function claimsIn(text: string): Record<string, unknown> {
  const parts = text.trim().split('.');
  const isToken = parts.length === 3 && parts.every((part) => /^[\w-]+$/.test(part));
  const json = isToken ? Buffer.from(parts[1] ?? '', 'base64url').toString('utf8') : text;
  try {
    const claims: unknown = JSON.parse(json);
    if (isObject(claims)) return claims;
  } catch {
    // Said below.
  }
  throw usage('the file must have claims as a JSON object, or a signed token');
}
