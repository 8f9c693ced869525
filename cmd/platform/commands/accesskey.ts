import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { generateKey } from '../../../pkg/management/accesskeys/accesskey.js';
import { keyEnd } from '../../../pkg/management/accesskeys/keyend.js';
import type { Verb } from '../cli.js';
import { showKey } from './createaccesskey.js';
import { chosenFormat } from '../output/output.js';

const KEYS = { resource: 'ownedaccesskeys' };

/** `platform disable|enable accesskey NAME`. */
const switches = [
  { verb: 'disable', disabled: true, describe: 'Disable an access key. It can be enabled again.' },
  { verb: 'enable', disabled: false, describe: 'Enable an access key that was disabled.' },
].map(({ verb, disabled, describe }): Verb => (program, cli) => {
  program
    .command(verb)
    .description(`${verb === 'enable' ? 'Enable' : 'Disable'} an access key.`)
    .command('accesskey <name>')
    .description(describe)
    .addHelpText('after', `\nExample:\n  platform ${verb} accesskey ci\n`)
    .action(async (name: string) => {
      const client = await cli.connect();
      await client.merge({ ...KEYS, name }, { spec: { disabled } });
      cli.terminal.tell(`Access key "${name}" is ${verb}d.`);
    });
});

/** `platform rotate accesskey NAME`: another key in place of the old one, which ends at once. */
const rotate: Verb = (program, cli) => {
  program
    .command('rotate')
    .description('Rotate an access key.')
    .command('accesskey <name>')
    .description(
      'Replace the value of an access key. The new value is shown only once; the old one is revoked at once.',
    )
    .option('-o, --output <format>', 'env, json or yaml.')
    .addHelpText('after', '\nExample:\n  platform rotate accesskey ci -o env > ci.env\n')
    .action(async (name: string, { output }: { output?: string }) => {
      const format = chosenFormat(output, ['env', 'json', 'yaml']);
      const client = await cli.connect();
      const rotated = await client.merge<OwnedAccessKey>({ ...KEYS, name }, { spec: { key: generateKey() } });
      const end = keyEnd(rotated, 0);
      cli.terminal.tell(
        end === undefined ? 'It has no end.' : `It lives until ${new Date(end).toISOString()}.`,
      );
      await showKey(cli, client, rotated, format);
    });
};

export const accessKeyVerbs: readonly Verb[] = [...switches, rotate];
