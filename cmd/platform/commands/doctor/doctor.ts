import type { Cli, Verb } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { API } from './api.js';
import { directChecks } from './direct.js';
import { writeBundle } from './bundle.js';
import { WAY } from './way.js';
import type { Instance } from '../../direct/target.js';
import { Failure, messageOf, usage } from '../../failure.js';
import { type Check, type Finding, skipped } from '../../output/finding.js';
import { chosenFormat, printColumns, printObject } from '../../output/output.js';
import { projectAndName } from '../../scopeflags.js';

const EXAMPLES = `
Examples:
  platform doctor
  platform doctor --space web/staging     also the ways to a space: its agent, and the server
  platform doctor --bundle support.json
  platform doctor -o json || echo "something is wrong"
`;

interface DoctorOptions {
  readonly output?: string;
  readonly bundle?: string;
  readonly space?: string;
  readonly virtualCluster?: string;
}

interface Diagnosis extends Finding {
  readonly check: string;
}

/** `platform doctor`: looks at the way to the server and at the server; exit code 1 where something is wrong. */
export const doctor: Verb = (program, cli) => {
  program
    .command('doctor')
    .description('Find problems with the connection and the server, and suggest what to do.')
    .option('-o, --output <format>', 'json or yaml.')
    .option('--space <project/name>', 'Also check how this space is reached with "use".')
    .option('--virtual-cluster <project/name>', 'Also check how this virtual cluster is reached so.')
    .option(
      '--bundle <file>',
      'Write what to send along with a question to this file: no objects, keys or values.',
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ output, bundle, ...asked }: DoctorOptions) => {
      const format = chosenFormat(output, ['json', 'yaml']);
      const instance = instanceOf(asked);
      const found = await examine(cli, instance === undefined ? [] : directChecks(cli, instance));
      if (bundle !== undefined) {
        await writeBundle(cli, bundle, found);
        cli.terminal.tell(`Wrote ${bundle}: read it before you send it.`);
      }
      if (format !== undefined) await printObject(format, found, cli.write);
      else
        await printColumns(
          ['', 'Check', 'Found', 'What to do'],
          found.map(({ state, check, found: text, advice }) => [state, check, text, advice]),
          cli.write,
        );
      const wrong = found.filter(({ state }) => state === 'wrong').length;
      if (wrong > 0) throw new Failure('failed', `${wrong} of ${found.length} checks found something wrong`);
    });
};

/** Throws Failure, usage. */
function instanceOf({ space, virtualCluster }: DoctorOptions): Instance | undefined {
  if (space !== undefined && virtualCluster !== undefined)
    throw usage('--space and --virtual-cluster exclude each other');
  const [flag, text] = space === undefined ? ['--virtual-cluster', virtualCluster] : ['--space', space];
  if (text === undefined) return undefined;
  const [project, name] = projectAndName(flag, text);
  return { kind: space === undefined ? 'vcluster' : 'space', project, name };
}

/** `more`: after those of every server. */
async function examine({ connect }: Cli, more: readonly Check[]): Promise<Diagnosis[]> {
  let client: Client;
  try {
    client = await connect();
  } catch (error) {
    return [{ check: 'login', ...findingOf(error) }];
  }
  const all: Diagnosis[] = [
    { check: 'login', state: 'ok', found: client.connection.server.href, advice: undefined },
  ];
  /** Of each check that failed, or that told nothing new: the check that has the cause. */
  const causes = new Map<string, string>();
  for (const { check, needs, repeats, run } of [...WAY, ...API, ...more]) {
    const missing = needs.map((one) => causes.get(one)).find((one) => one !== undefined);
    const finding = missing === undefined ? await runCheck(client, run) : skipped(`see ${missing}`);
    const same = all.find((one) => one.check === repeats && one.found === finding.found);
    const cause = missing ?? same?.check ?? (finding.state === 'wrong' ? check : undefined);
    if (cause !== undefined) causes.set(check, cause);
    all.push({ check, ...(same === undefined ? finding : skipped(`see ${same.check}`)) });
  }
  return all;
}

async function runCheck(client: Client, run: Check['run']): Promise<Finding> {
  try {
    return await run(client);
  } catch (error) {
    return findingOf(error);
  }
}

const findingOf = (error: unknown): Finding =>
  error instanceof Failure
    ? { state: 'wrong', found: error.said, advice: error.advice }
    : { state: 'wrong', found: messageOf(error), advice: undefined };
