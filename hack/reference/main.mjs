// Writes the pages of docs/reference/ to the folder that is named: what the program says of itself, as Markdown.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '../transpile.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node hack/reference/main.mjs FOLDER');
mkdirSync(folder, { recursive: true });
const load = (name) => import(`./${name}.mjs`);

const { serverFlags, agentFlags } = await load('flags');
const { configurationFiles } = await load('configurationfiles');
const { serverCommands } = await load('servercommands');
const { commands } = await load('commands');
const { kinds } = await load('kinds');
const { metrics } = await load('metrics');
const { reasons } = await load('reasons');

const PAGES = {
  'server-flags.md': serverFlags,
  'configuration-files.md': configurationFiles,
  'server-commands.md': serverCommands,
  'agent-flags.md': agentFlags,
  'commands.md': commands,
  'api.md': kinds,
  'metrics.md': metrics,
  'errors.md': reasons,
};
for (const [name, write] of Object.entries(PAGES)) writeFileSync(join(folder, name), await write());
