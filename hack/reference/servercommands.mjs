// Subcommands of management-apiserver, as their help shows them, without the options of the server that each accepts.
import { ADMIN_KEY } from '../../dist/cmd/apiserver/adminkeys/adminkeycommand.js';
import { BACKUP, RESTORE, STORE } from '../../dist/cmd/apiserver/backup/commands.js';
import { ENCRYPTION } from '../../dist/cmd/apiserver/encryption/encryptioncommand.js';
import { boxWrap } from '../../dist/cmd/apiserver/options/helplayout.js';
import { code, page, plain, table } from './markdown.mjs';

const PROGRAM = 'management-apiserver';
const WIDTH = 100;

function row({ name, value, description, fallback }) {
  const [, meaning = description, computed] = /^(.*?)\s*\(default: ([^]*)\)$/.exec(description) ?? [];
  const standard = fallback === undefined ? plain(computed ?? '') : code(fallback);
  return [code(`--${name} ${value}`.trimEnd()), standard, plain(meaning)];
}

function section({ usage, description, flags = [] }) {
  const [title] = usage.split(' ');
  return [
    `## ${PROGRAM} ${title}`,
    `\`\`\`text\nUsage: ${PROGRAM} ${usage}\n\n${boxWrap(description, WIDTH)}\n\`\`\``,
    ...(flags.length === 0 ? [] : [table(['flag', 'default', 'meaning'], flags.map(row))]),
  ];
}

export const serverCommands = () =>
  page(
    'Commands of the server',
    `Commands that work on the store itself, where the server runs. Each accepts the [flags of the server](server-flags.md) too, and
\`--help\` prints both. [Backup](../backup.md) and [encryption at rest](../encryption.md) explain when to use them.`,
    ...[ADMIN_KEY, ENCRYPTION, BACKUP, RESTORE, STORE].flatMap(section),
  );
