import type { Cli, Verb } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { API } from './api.js';
import { writeBundle } from './bundle.js';
import { WAY } from './way.js';
import { Failure, messageOf } from '../../failure.js';
import { type Check, type Finding, skipped } from '../../output/finding.js';
import { chosenFormat, printColumns, printObject } from '../../output/output.js';

const EXAMPLES = `
Examples:
  platform doctor
  platform doctor --bundle support.json
  platform doctor -o json || echo "something is wrong"
`;

interface Diagnosis extends Finding {
  readonly check: string;
}

/** `platform doctor`: looks at the way to the server and at the server; exit code 1 where something is wrong. */
export const doctor: Verb = (program, cli) => {
  program
    .command('doctor')
    .description('Find problems with the connection and the server, and suggest what to do.')
    .option('-o, --output <format>', 'json or yaml.')
    .option(
      '--bundle <file>',
      'Write what to send along with a question to this file: no objects, keys or values.',
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ output, bundle }: { output?: string; bundle?: string }) => {
      const format = chosenFormat(output, ['json', 'yaml']);
      const found = await examine(cli);
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

async function examine({ connect }: Cli): Promise<Diagnosis[]> {
  let client: Client;
  try {
    client = await connect();
  } catch (error) {
    return [{ check: 'login', state: 'wrong', found: messageOf(error), advice: 'platform login URL' }];
  }
  const all: Diagnosis[] = [
    { check: 'login', state: 'ok', found: client.connection.server.href, advice: undefined },
  ];
  for (const { check, needs, look } of [...WAY, ...API]) {
    const missing = all.find((one) => one.state === 'wrong' && needs.includes(one.check));
    all.push({
      check,
      ...(missing === undefined ? await lookOnce(client, look) : skipped(`see ${missing.check}`)),
    });
  }
  return all;
}

async function lookOnce(client: Client, look: Check['look']): Promise<Finding> {
  try {
    return await look(client);
  } catch (error) {
    return { state: 'wrong', found: messageOf(error), advice: undefined };
  }
}
