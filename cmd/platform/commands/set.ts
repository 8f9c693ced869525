import type { Cli, Verb } from '../cli.js';
import { type Client, ifFound } from '../connection/client.js';
import { usage } from '../failure.js';
import { readNamed } from '../files/files.js';
import { againOnConflict } from '../connection/retry.js';
import { type SecretOptions, newSecret, secretName, secretPlace } from '../secret.js';

const EXAMPLES = `
Examples:
  platform set secret database.user app
  platform set secret database.password --file password.txt
  openssl rand -base64 24 | platform set secret database.password
`;

interface SetOptions extends SecretOptions {
  readonly file?: string;
}

/** `platform set secret NAME.KEY [VALUE]`: never prints the value. */
export const set: Verb = (program, cli) => {
  program
    .command('set')
    .description('Write a secret.')
    .command('secret <name> [value]')
    .description('Write one entry of a secret, NAME.KEY; the secret is created where there is none.')
    .option('--file <file>', 'Read the value from this file, byte by byte.')
    .option('-n, --namespace <namespace>', 'Namespace of a shared secret (default: default).')
    .option('--project <project>', 'Write a secret of this project.')
    .option('--key <key>', 'The entry, where the name of the secret has dots.')
    .addHelpText('after', EXAMPLES)
    .action(async (text: string, value: string | undefined, options: SetOptions) => {
      const { name, key } = secretName(text, options);
      if (key === undefined) throw usage(`name the entry to write: ${name}.KEY`);
      const bytes = await valueOf(cli, value, options.file);
      const client = await cli.connect();
      await setEntry(client, { ...(await secretPlace(client, options)), name }, key, bytes);
      cli.terminal.tell(`Secret "${name}": entry "${key}" is set.`);
    });
};

async function valueOf(
  { terminal }: Cli,
  value: string | undefined,
  file: string | undefined,
): Promise<Buffer> {
  if (value !== undefined && file !== undefined) throw usage('give the value or --file, not both');
  if (value !== undefined) return Buffer.from(value);
  if (file === undefined && terminal.interactive) throw usage('give a value, --file, or standard input');
  return file === undefined ? terminal.readAll() : readNamed(file);
}

type SecretPlace = Awaited<ReturnType<typeof secretPlace>> & { name: string };

/** Other entries stay as they are, whoever changes them meanwhile. */
async function setEntry(client: Client, place: SecretPlace, key: string, value: Buffer): Promise<void> {
  const data = { [key]: value.toString('base64') };
  const { name, ...collection } = place;
  await againOnConflict(async () => {
    if ((await ifFound(client.merge(place, { spec: { data } }))) !== undefined) return;
    await client.create(collection, newSecret(collection, name, data));
  });
}
