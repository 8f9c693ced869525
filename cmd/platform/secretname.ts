/** What `NAME` and `NAME.ENTRY` stand for: names of secrets, and those of entries, may have dots. */
import { dns1123Subdomain } from '../../pkg/apimachinery/validation/names.js';
import { type Client, ifReadable, type Place } from './connection/client.js';
import { type Failure, usage } from './failure.js';
import { entriesOf, type SecretOptions } from './secret.js';

export interface SecretName {
  readonly name: string;
  readonly entry: string | undefined;
}

/** Options that say which dots belong to the name. */
export interface NameOptions extends SecretOptions {
  /** The entry: all of the text is the name. */
  readonly entry?: string;
  /** All of the text is the name, and no entry is meant. */
  readonly whole?: boolean;
}

/** Full commands for the secret of the whole name, and for the entry. */
type Commands = (split: { readonly name: string; readonly entry: string }) => readonly [string, string];

/** By the text and the options alone: at the first dot, as entries may have more of them. Throws Failure, usage. */
export function splitName(text: string, { entry, whole }: NameOptions): SecretName {
  if (entry !== undefined && whole === true) throw usage('--entry and --whole exclude each other');
  if (entry !== undefined || whole === true) return { name: text, entry };
  const dot = text.indexOf('.');
  if (dot === -1) return { name: text, entry: undefined };
  if (dot === 0 || dot === text.length - 1) throw usage(`"${text}" is not NAME or NAME.ENTRY`);
  return { name: text.slice(0, dot), entry: text.slice(dot + 1) };
}

/**
 * The secret that has the whole text as its name, else NAME.ENTRY. Rejects with a Failure, usage, where there are both. A
 * secret that the caller may not read does not count.
 */
export async function findSecret(
  client: Client,
  collection: Place,
  text: string,
  options: NameOptions,
  commands: Commands,
): Promise<SecretName> {
  const split = splitName(text, options);
  const { name, entry } = split;
  if (name === text || entry === undefined || dns1123Subdomain(text).length > 0) return split;
  if ((await ifReadable(client.get({ ...collection, name: text }))) === undefined) return split;
  const other = await ifReadable(client.get({ ...collection, name }));
  const isBoth = other !== undefined && entriesOf(other).some(([key]) => key === entry);
  if (isBoth) throw twoReadings(text, { name, entry }, commands);
  return { name: text, entry: undefined };
}

/** The error of a text that is refused, as it may be either. */
export function twoReadings(
  text: string,
  split: Required<Parameters<Commands>[0]>,
  commands: Commands,
): Failure {
  const [whole, entry] = commands(split);
  return usage(
    `there is a secret "${text}", and this may also be entry "${split.entry}" of secret "${split.name}": write "${whole}" or "${entry}"`,
  );
}

/** `flags`: those with which the command takes the whole name. */
export const commandsOf =
  (verb: string, text: string, { namespace, project }: SecretOptions, flags = '--whole'): Commands =>
  ({ name, entry }) => {
    const place = [
      ...(namespace === undefined ? [] : ['--namespace', namespace]),
      ...(project === undefined ? [] : ['--project', project]),
    ];
    const command = (...words: string[]): string =>
      ['platform', verb, 'secret', ...words, ...place].join(' ');
    return [command(text, flags), command(name, '--entry', entry)];
  };

export const ENTRY_OPTION = ['--entry <entry>', 'The entry: all of NAME is the name of the secret.'] as const;
export const WHOLE_OPTION = ['--whole', 'All of NAME is the name of the secret, with its dots.'] as const;
