import type { Verb } from '../cli.js';
import { chosenFormat, printColumns, printObject } from '../output/output.js';
import { selfOf } from '../self.js';

const EXAMPLES = `
Examples:
  platform whoami
  platform whoami -o json
`;

/** `platform whoami`: the user that the server authenticates. */
export const whoami: Verb = (program, { connect, write }) => {
  program
    .command('whoami')
    .description('Show the user that the server authenticates you as.')
    .option('-o, --output <format>', 'json or yaml.')
    .addHelpText('after', EXAMPLES)
    .action(async ({ output }: { output?: string }) => {
      const format = chosenFormat(output, ['json', 'yaml']);
      const client = await connect();
      const self = await selfOf(client);
      if (format !== undefined) return printObject(format, self, write);
      const rows = [
        ['Server', client.connection.server.href],
        ['User', self.user?.name ?? self.subject ?? ''],
        ['Team', self.team?.name ?? ''],
        ['Access key', self.accessKey ?? ''],
        ['Groups', (self.groups ?? []).join(', ')],
      ];
      await printColumns(
        ['', ''],
        rows.filter(([, value]) => value !== ''),
        write,
      );
    });
};
