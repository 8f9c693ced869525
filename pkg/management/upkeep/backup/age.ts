/**
 * Backups that are encrypted as a whole with age (https://age-encryption.org/v1), for recipients or with a passphrase.
 */
import { ReadableStream } from 'node:stream/web';
import type { Decrypter, Encrypter } from 'age-encryption';
import { messageOf } from '../../../apimachinery/caught.js';
import { DamagedBackup } from '../../../storage/backup/read.js';
import { readPrivate } from '../encryption/keyfile.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import { AGE_MAGIC, bytesOf } from './backupfile.js';
import { IDENTITY_FLAG, PASSPHRASE_FLAG, RECIPIENT_FLAG } from './ageflags.js';

const MAX_RECIPIENTS = 20;

/** Returns the decrypted bytes of a backup. */
export type ReadBackup = (path: string) => AsyncIterable<Buffer>;

/** The recipients or the passphrase of a backup. */
export interface BackupRecipients {
  /** Recipients of age, separated by commas. */
  readonly recipients: string | undefined;
  readonly passphraseFile: string | undefined;
}

/**
 * The encrypter of a backup; undefined: the backup is not encrypted as a whole. Throws StartError.
 *
 * @param prefix of the names of the flags
 */
export async function encrypterOf(
  { recipients, passphraseFile }: BackupRecipients,
  prefix: '' | 'backup-' = '',
): Promise<Encrypter | undefined> {
  const [flag, fileFlag] = [`--${prefix}${RECIPIENT_FLAG.name}`, `${prefix}${PASSPHRASE_FLAG.name}`];
  if (recipients !== undefined && passphraseFile !== undefined)
    throw new StartError(`${flag} and --${fileFlag} are mutually exclusive`);
  if (recipients === undefined && passphraseFile === undefined) return undefined;
  const encrypter = new (await import('age-encryption')).Encrypter();
  if (passphraseFile !== undefined) encrypter.setPassphrase(passphraseIn(passphraseFile, fileFlag));
  const named = recipients?.split(',') ?? [];
  if (named.length > MAX_RECIPIENTS) throw new StartError(`${flag}: give at most ${MAX_RECIPIENTS}`);
  for (const recipient of named)
    try {
      encrypter.addRecipient(recipient.trim());
    } catch {
      throw new StartError(`${flag}: ${notRecipient(recipient.trim())}`);
    }
  return encrypter;
}

/** The text is not repeated, as it may be an identity, which is secret. */
const notRecipient = (given: string): string =>
  /^age-secret-key-|^age-plugin-/i.test(given)
    ? 'this is an identity, which is secret: give its recipient, as age-keygen -y prints it'
    : `"${given.slice(0, 80)}" is not an age recipient such as age1…`;

/** Encrypts `chunks`. */
export async function* encrypted(
  chunks: AsyncIterable<Uint8Array>,
  encrypter: Encrypter | undefined,
): AsyncGenerator<Uint8Array> {
  if (encrypter === undefined) return yield* chunks;
  yield* chunksOf(await encrypter.encrypt(streamOf(chunks)));
}

/**
 * Reads backups. Those that are encrypted with age are decrypted with `--identity-file` or `--passphrase-file`. Throws
 * StartError.
 */
export async function readerOf(text: (flag: string) => string | undefined): Promise<ReadBackup> {
  const [identityFile, passphraseFile] = [text(IDENTITY_FLAG.name), text(PASSPHRASE_FLAG.name)];
  if (identityFile === undefined && passphraseFile === undefined) return (path) => plain(path, undefined);
  const decrypter = new (await import('age-encryption')).Decrypter();
  if (passphraseFile !== undefined) decrypter.addPassphrase(passphraseIn(passphraseFile));
  if (identityFile !== undefined)
    for (const identity of identitiesIn(identityFile)) addIdentity(decrypter, identity, identityFile);
  return (path) => plain(path, decrypter);
}

async function* plain(path: string, decrypter: Decrypter | undefined): AsyncGenerator<Buffer> {
  const source = bytesOf(path)[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < AGE_MAGIC.length) {
    const next: IteratorResult<Buffer, undefined> = await source.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = joined(head, source);
  if (!head.subarray(0, AGE_MAGIC.length).equals(AGE_MAGIC)) return yield* whole;
  if (decrypter === undefined)
    throw new StartError(
      `backup ${path} is encrypted by age: give --identity-file, or --passphrase-file, with what opens it`,
    );
  const opened = await decrypter.decrypt(streamOf(whole)).catch((error: unknown) => {
    throw new StartError(`backup ${path} is encrypted by age, and ${whyNotOpened(error)}`);
  });
  try {
    for await (const chunk of chunksOf(opened))
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  } catch (error) {
    throw error instanceof StartError
      ? error
      : new DamagedBackup(`is damaged or cut short: ${inWords(error)}`);
  }
}

/** The error of the library for a file with other recipients. Its other errors are about damaged files. */
const FOR_OTHERS = /no identity matched/;

const whyNotOpened = (error: unknown): string =>
  FOR_OTHERS.test(messageOf(error))
    ? 'what was given does not open it: give the identity of one of its recipients, or its passphrase'
    : `its head is damaged or cut short: ${inWords(error)}`;

async function* joined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (;;) {
    const next: IteratorResult<Buffer, undefined> = await rest.next();
    if (next.done === true) return;
    yield next.value;
  }
}

/** Node's web streams and those of the DOM, which the types of age use, are the same at runtime. */
type WebStream = Parameters<Encrypter['encrypt']>[0] & globalThis.ReadableStream<Uint8Array>;

// Node's type of web streams lacks members of the DOM's type.
const streamOf = (chunks: AsyncIterable<Uint8Array>): WebStream =>
  ReadableStream.from(chunks) as unknown as WebStream;

/** Web streams of Node are async iterable, but the DOM's types do not include this. */
const chunksOf = (stream: unknown): AsyncIterable<Uint8Array> => stream as AsyncIterable<Uint8Array>;

function passphraseIn(path: string, flag: string = PASSPHRASE_FLAG.name): string {
  const found = readPrivate(flag, path, (text) => text.split(/\r?\n/, 1)[0] ?? '');
  if (found === undefined) throw new StartError(`--${flag} ${path}: no such file or directory`);
  if (found === '') throw new StartError(`--${flag} ${path}: its first line is empty`);
  return found;
}

function identitiesIn(path: string): readonly string[] {
  const found = readPrivate(IDENTITY_FLAG.name, path, (text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
  if (found === undefined) throw new StartError(`--${IDENTITY_FLAG.name} ${path}: no such file or directory`);
  if (found.length === 0) throw new StartError(`--${IDENTITY_FLAG.name} ${path}: it has no identity`);
  return found;
}

/** The error does not repeat the content of the file. */
function addIdentity(decrypter: Decrypter, identity: string, path: string): void {
  try {
    decrypter.addIdentity(identity);
  } catch {
    throw new StartError(
      `--${IDENTITY_FLAG.name} ${path}: a line is no identity of age, such as AGE-SECRET-KEY-1…`,
    );
  }
}
