import { changeConfig, readConfig } from '../../files/config.js';
import type { Verb } from '../../cli.js';
import { Failure } from '../../failure.js';
import { printColumns } from '../../output/output.js';

/** `platform context list|use`: which logins there are, and which one is in use. */
export const context: Verb = (program, { env, write, terminal }) => {
  const command = program.command('context').description('List and switch logins.');
  command
    .command('list')
    .description('List the logins.')
    .action(async () => {
      const { current, contexts } = await readConfig(env);
      const rows = Object.entries(contexts).map(([name, { server }]) => [
        name === current ? '*' : '',
        name,
        server,
      ]);
      await printColumns(['', 'Name', 'Server'], rows, write);
    });
  command
    .command('use <name>')
    .description('Make a login the current one.')
    .addHelpText('after', '\nExample:\n  platform context use production\n')
    .action(async (name: string) => {
      await changeConfig(env, (config) => {
        if (config.contexts[name] !== undefined) return { ...config, current: name };
        throw new Failure('notFound', `no context "${name}"; "platform context list" shows those there are`);
      });
      terminal.tell(`Using context "${name}".`);
    });
};
