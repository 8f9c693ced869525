/** Backups that are encrypted as a whole, by age (https://age-encryption.org/v1): for who may have the key, or by a passphrase. */
import { ReadableStream } from 'node:stream/web';
import type { Decrypter, Encrypter } from 'age-encryption';
import { messageOf } from '../../../pkg/apimachinery/caught.js';
import { DamagedBackup } from '../../../pkg/storage/backup/read.js';
import type { OwnTexts } from '../options/options.js';
import { readPrivate } from '../encryption/keyfile.js';
import { inWords, StartError } from '../starterror.js';
import { AGE_MAGIC, bytesOf } from './backupfile.js';
import { IDENTITY_FLAG, PASSPHRASE_FLAG, RECIPIENT_FLAG } from './flags.js';

const MAX_RECIPIENTS = 20;

/** The bytes of a backup as they were before they were encrypted. */
export type ReadBackup = (path: string) => AsyncIterable<Buffer>;

/** Who may read a backup. */
export interface BackupReaders {
  /** Of age, separated by commas. */
  readonly recipients: string | undefined;
  readonly passphraseFile: string | undefined;
}

/**
 * What encrypts a backup for its readers; undefined: nothing does. Throws StartError.
 * @param prefix of the names of the options that say who they are
 */
export async function encrypterOf(
  { recipients, passphraseFile }: BackupReaders,
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

/** An identity is secret, and is not repeated. */
const notRecipient = (given: string): string =>
  /^age-secret-key-|^age-plugin-/i.test(given)
    ? 'this is an identity, which is secret: give its recipient, as age-keygen -y prints it'
    : `"${given.slice(0, 80)}" is not an age recipient such as age1…`;

/** `chunks`, encrypted. */
export async function* encrypted(
  chunks: AsyncIterable<Uint8Array>,
  encrypter: Encrypter | undefined,
): AsyncGenerator<Uint8Array> {
  if (encrypter === undefined) return yield* chunks;
  yield* chunksOf(await encrypter.encrypt(streamOf(chunks)));
}

/** Reads backups as they are, and those of age with what `--identity-file` or `--passphrase-file` have. Throws StartError. */
export async function readerOf(text: OwnTexts): Promise<ReadBackup> {
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

/** What the library says of a file that was made for others; all else that it says is about what is damaged. */
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

/** Node's web streams and those of the DOM, which age's types name, are the same to the program. */
type WebStream = Parameters<Encrypter['encrypt']>[0] & globalThis.ReadableStream<Uint8Array>;

// Node's own type of web streams lacks what the DOM's has.
const streamOf = (chunks: AsyncIterable<Uint8Array>): WebStream =>
  ReadableStream.from(chunks) as unknown as WebStream;

/** Web streams of Node can be iterated; the DOM's types do not say so. */
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

/** What is in the file is not repeated. */
function addIdentity(decrypter: Decrypter, identity: string, path: string): void {
  try {
    decrypter.addIdentity(identity);
  } catch {
    throw new StartError(
      `--${IDENTITY_FLAG.name} ${path}: a line is no identity of age, such as AGE-SECRET-KEY-1…`,
    );
  }
}
