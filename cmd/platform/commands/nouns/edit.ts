import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cli, Environment, Verb } from '../../cli.js';
import { Failure } from '../../failure.js';
import { type PlaceOptions, placeOf } from '../../kinds.js';
import { NOUNS, type Noun } from '../../nouns.js';
import { printObject } from '../../output/output.js';
import { messageOf } from '../../../../pkg/apimachinery/caught.js';
import { isObject } from '../../../../pkg/apimachinery/encoding/members.js';

/** `platform edit NOUN NAME`: in an editor, as `kubectl edit`. */
export const edit: Verb = (program, cli) => {
  const command = program.command('edit').description('Edit an object in $EDITOR.');
  for (const noun of NOUNS.filter(({ word }) => word !== 'invitation')) {
    const one = command.command(`${noun.word} <name>`).description(`Edit ${noun.one} in $EDITOR.`);
    if (noun.within !== 'cluster') one.option('--project <project>', 'Project that it is in.');
    if (noun.within === 'namespace')
      one.option('-n, --namespace <namespace>', 'Namespace that it is in (default: default).');
    one
      .addHelpText('after', `\nExample:\n  EDITOR=nano platform edit ${noun.word} NAME\n`)
      .action((name: string, options: PlaceOptions) => editObject(cli, noun, name, options));
  }
};

async function editObject(cli: Cli, noun: Noun, name: string, options: PlaceOptions): Promise<void> {
  const client = await cli.connect();
  const place = { ...(await placeOf(client, noun, options)), name };
  const found = await client.get(place);
  let before = '';
  await printObject('yaml', found, (text) => (before += text));
  const after = await edited(cli.env, before);
  if (after === before) return cli.terminal.tell('Nothing was changed.');
  const { parse } = await import('yaml');
  let changed: unknown;
  try {
    changed = parse(after);
  } catch (error) {
    throw new Failure('failed', `what was written is not YAML: ${messageOf(error).split('\n', 1)[0] ?? ''}`);
  }
  if (!isObject(changed)) throw new Failure('failed', 'what was written is no object');
  // As kubectl does: a misspelled field would be dropped, and with it the value that it had.
  await client.replace({ ...place, query: 'fieldValidation=Strict' }, changed);
  cli.terminal.tell(`Changed ${noun.word} "${name}".`);
}

/** The text after an editor had it, in a folder that only its owner may read and that is gone afterwards. */
async function edited({ EDITOR, VISUAL, XDG_RUNTIME_DIR }: Environment, text: string): Promise<string> {
  const folder = await mkdtemp(join(XDG_RUNTIME_DIR || tmpdir(), 'platform-edit-'));
  try {
    const path = join(folder, 'object.yaml');
    await writeFile(path, text, { mode: 0o600 });
    const editor = VISUAL || EDITOR || 'vi';
    const code = await new Promise<number | null>((resolve, reject) => {
      // As git and kubectl do: the variable may have arguments.
      const child = spawn('sh', ['-c', `${editor} "$1"`, editor, path], { stdio: 'inherit' });
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Failure('failed', `the editor ended with ${code}: nothing was changed`);
    return await readFile(path, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
