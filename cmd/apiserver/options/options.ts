import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { isObject } from '../../../pkg/apimachinery/encoding/members.js';
import { parseYamlFile } from '../../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { ENVIRONMENT_PREFIX, type Flag, type FlagWithDefault } from './flags/flag.js';
import { FLAGS, FLAG_NAMES, type FlagName, type Flags } from './flags/flags.js';
import { boxWrap, formatItem, helpEnd } from './helplayout.js';
import { inHelpOrder } from './helpgroups.js';
import { suggestion } from '../../../pkg/apimachinery/similar.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

/** Options with their parsed values; undefined if not given and without a default. */
export type Options = {
  readonly [Name in FlagName]:
    | ReturnType<Flags[Name]['parse']>
    | (Flags[Name] extends FlagWithDefault<unknown> ? never : undefined);
} & {
  /** The texts of the options that were set explicitly. */
  readonly given: ReadonlyMap<FlagName, string>;
};

export interface OptionSources {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The output of help and the version. */
  readonly write: (text: string) => void;
  /** A subcommand, which has these options, too; absent: the server is started. */
  readonly subcommand?: Subcommand;
}

interface Subcommand {
  /** The usage after the program's name. */
  readonly usage: string;
  /** Paragraphs of one line each. */
  readonly description: string;
  /** Its own options, besides those of the server; a flag without a value has an empty `value`. */
  readonly flags?: readonly Omit<Flag<unknown>, 'parse'>[];
  /** Called with the operands, and the texts of its own flags by their names. */
  readonly take: (operands: readonly string[], own: OwnTexts) => void;
}

/** The texts of a subcommand in help and reference. */
export type SubcommandTexts = Omit<Subcommand, 'take'>;

export type OwnTexts = (flag: string) => string | undefined;

/** Options of the server that the help of subcommands has: where its state and its keys are. The others are accepted and not used. */
const LOCATES = /^(data-dir|etcd-.*|encryption-.*)$/;

/** `MANAGEMENT_APISERVER_SECURE_PORT`. */
function environmentName(flag: Pick<Flag<unknown>, 'name'>): string {
  return ENVIRONMENT_PREFIX + flag.name.toUpperCase().replaceAll('-', '_');
}

/**
 * Reads options from flags, then the environment, then the file of `--config`; the first source that sets an
 * option takes precedence. Undefined after help or the version was written. Throws StartError for unknown or
 * invalid options.
 */
export function readOptions(sources: OptionSources): Options | undefined {
  const given = parseArguments(sources);
  if (given === undefined) return undefined;
  refuseUnknownVariables(sources.env);
  const configPath = given.config ?? sources.env[`${ENVIRONMENT_PREFIX}CONFIG`];
  const file = configPath === undefined ? {} : readConfig(configPath);
  const texts = new Map<FlagName, GivenText>();
  for (const key of FLAG_NAMES) {
    const text = givenText(FLAGS[key], given[key], sources.env, file, configPath);
    if (text !== undefined) texts.set(key, text);
  }
  const values = FLAG_NAMES.map((key) => [key, valueOf(FLAGS[key], texts.get(key))]);
  const written = new Map([...texts].map(([key, { text }]) => [key, text]));
  // Each value has the type of its flag, which fromEntries cannot express.
  return { ...(Object.fromEntries(values) as Options), given: written };
}

/** The variables that Kubernetes sets in Pods for a Service of the program's name. */
const OF_A_SERVICE = /^(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_.*)?)$/;

function refuseUnknownVariables(env: OptionSources['env']): void {
  const known = new Set([...Object.values(FLAGS).map(environmentName), `${ENVIRONMENT_PREFIX}CONFIG`]);
  const unknown = Object.keys(env).find(
    (name) =>
      name.startsWith(ENVIRONMENT_PREFIX) &&
      !known.has(name) &&
      !OF_A_SERVICE.test(name.slice(ENVIRONMENT_PREFIX.length)),
  );
  if (unknown === undefined) return;
  const suggested = suggestion(
    unknown.slice(ENVIRONMENT_PREFIX.length),
    Object.values(FLAGS).map(({ name }) => name),
  );
  const variable = suggested.replace(/(?<=mean )[a-z-]+/, (name) => environmentName({ name }));
  throw new StartError(`unknown option ${unknown} in the environment${variable}; see --help`);
}

/** Texts by member of FLAGS; `true` for a flag without its optional value. */
type Given = Readonly<Record<string, string | true | undefined>> & { readonly config?: string };

function parseArguments({ argv, write, subcommand }: OptionSources): Given | undefined {
  const command = new Command('management-apiserver')
    .description(
      subcommand?.description ?? 'Serves the management API to kubectl and every other Kubernetes client.',
    )
    .usage(subcommand?.usage ?? '[options]')
    .allowExcessArguments(subcommand !== undefined)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined })
    .configureHelp({ formatItem, boxWrap })
    .helpOption('-h, --help', 'Show this help.');
  const own = (subcommand?.flags ?? []).map((flag) => ({ flag, option: commandOption(flag) }));
  for (const { option } of own) command.addOption(option.helpGroup('Options of this command:'));
  command.version(SERVER_VERSION, '--version', 'Show the version.');
  command.addOption(
    new Option(
      '--config <file>',
      'YAML file to read options from. Its keys are the option names without the leading dashes.',
    ),
  );
  for (const { heading, option } of inHelpOrder(FLAG_NAMES)) {
    const one = commandOption(FLAGS[option]).hideHelp(
      subcommand !== undefined && !LOCATES.test(FLAGS[option].name),
    );
    command.addOption(heading === undefined ? one : one.helpGroup(heading));
  }
  if (subcommand === undefined) command.addHelpText('after', helpEnd);
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    throw new StartError(`${error.message.replace(/^error: |\.$/g, '').replace(/\n/g, ' ')}; see --help`);
  }
  const given: Given = command.opts();
  subcommand?.take(command.args, (name) => {
    const option = own.find(({ flag }) => flag.name === name)?.option;
    return option === undefined ? undefined : given[option.attributeName()]?.toString();
  });
  return given;
}

function commandOption(flag: Omit<Flag<unknown>, 'parse'>): Option {
  const short = flag.name === 'v' ? '-v, ' : '';
  const fallback = flag.fallback === undefined ? '' : ` (default: ${flag.fallback})`;
  return new Option(`${short}--${flag.name} ${flag.value}`.trimEnd(), flag.description + fallback);
}

/** `source`: the name of the option for the operator. */
interface GivenText {
  readonly text: string;
  readonly source: string;
}

function givenText(
  flag: Flag<unknown>,
  argument: string | true | undefined,
  env: OptionSources['env'],
  file: Readonly<Record<string, unknown>>,
  configPath = '',
): GivenText | undefined {
  const variable = environmentName(flag);
  if (argument !== undefined) return { text: String(argument), source: `--${flag.name}` };
  if (env[variable] !== undefined) return { text: env[variable], source: variable };
  const configured = file[flag.name];
  if (configured === undefined) return undefined;
  return { text: asText(configured), source: `${flag.name} in ${configPath}` };
}

function valueOf(flag: Flag<unknown>, given: GivenText | undefined): unknown {
  if (given === undefined) return flag.fallback === undefined ? undefined : flag.parse(flag.fallback);
  try {
    return flag.parse(given.text);
  } catch (error) {
    throw new StartError(`${given.source}: "${given.text}" is not valid: ${messageOf(error)}`);
  }
}

/** YAML values as text of a flag; lists are joined by commas. */
function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function readConfig(path: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = parseYamlFile(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    throw new StartError(`--config ${path}: ${messageOf(error).split('\n', 1)[0] ?? ''}`);
  }
  if (!isObject(parsed)) {
    throw new StartError(
      `--config ${path}: it must be a map of option names to values, such as "secure-port: 8443"`,
    );
  }
  const names: string[] = Object.values(FLAGS).map(({ name }) => name);
  const unknown = Object.keys(parsed).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const suggested = suggestion(unknown, names) || `; there are ${names.join(', ')}`;
    throw new StartError(`--config ${path}: unknown option "${unknown}"${suggested}`);
  }
  return parsed;
}
