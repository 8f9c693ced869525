// Flags of the server and of the agent.
import { agentCommand } from '../../dist/cmd/agent/options.js';
import { ENVIRONMENT_PREFIX } from '../../dist/cmd/apiserver/options/flags/flag.js';
import { FLAG_NAMES, FLAGS } from '../../dist/cmd/apiserver/options/flags/flags.js';
import { inHelpOrder } from '../../dist/cmd/apiserver/options/helpgroups.js';
import { code, page, plain, table } from './markdown.mjs';

const COLUMNS = ['flag', 'default', 'meaning'];
const environment = (prefix, name) => prefix + name.toUpperCase().replaceAll('-', '_');

/** Descriptions of flags without a fixed default end in `(default: …)`, which is its cell here. */
function serverRow({ name, value, description, fallback }) {
  const [, meaning = description, computed] = /^(.*?)\s*\(default: ([^]*)\)$/.exec(description) ?? [];
  const standard = fallback === undefined ? plain(computed ?? '') : code(fallback);
  return [code(`--${name} ${value}`), standard, plain(meaning)];
}

export function serverFlags() {
  const groups = new Map();
  for (const { heading = 'Other:', option } of inHelpOrder(FLAG_NAMES)) {
    const title = heading.replace(/:$/, '');
    groups.set(title, [...(groups.get(title) ?? []), serverRow(FLAGS[option])]);
  }
  return page(
    'Flags of the server',
    `\`management-apiserver --help\` prints the same. Each flag is also an environment variable with the prefix
\`${ENVIRONMENT_PREFIX}\` (\`${environment(ENVIRONMENT_PREFIX, 'secure-port')}\`), and a key of the file that \`--config\` names
(\`secure-port: 8443\`). [Configuration](../configuration.md) says how they work together, and [configuration
files](configuration-files.md) says what is in the files that they name.`,
    ...[...groups].flatMap(([title, rows]) => [`## ${title}`, table(COLUMNS, rows)]),
  );
}

export function agentFlags() {
  const rows = agentCommand()
    .options.filter(({ long }) => long !== '--version')
    .map((option) => {
      const standard = option.mandatory ? 'required' : code(option.defaultValueDescription ?? '');
      return [code(option.flags), standard, plain(option.description)];
    });
  return page(
    'Flags of the agent',
    `\`management-agent --help\` prints the same. Each flag is also an environment variable with the prefix
\`MANAGEMENT_AGENT_\` (\`${environment('MANAGEMENT_AGENT_', 'secure-port')}\`). [The agent](../agent.md) explains what it does.`,
    table(COLUMNS, rows),
  );
}
