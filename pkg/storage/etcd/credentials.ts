/** What is shown to etcd and what vouches for etcd: PEM files, read again when they have changed. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IOptions } from 'etcd3';
import { messageOf } from '../../apimachinery/caught.js';

export interface CredentialOptions {
  readonly endpoints: readonly string[];
  /** PEM files. Without a CA the system's roots count. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** Undefined: there are none, as etcd is spoken to without. */
export type Credentials = IOptions['credentials'];

export interface CredentialFiles {
  /** As they were last read and found to be usable. */
  readonly current: Credentials;
  /** Reads the files now; `changed` is told before it resolves. Never rejects. */
  look(): Promise<void>;
  stop(): void;
}

/** Told of files that have changed. */
export interface CredentialListener {
  readonly changed: (credentials: Credentials) => void;
  /** They cannot be used, and those before are; once for each such change. `reason` is for people. */
  readonly unusable: (reason: string) => void;
}

type Read = readonly (Buffer | undefined)[];

/** Files of Secrets change within a minute of the Secret; three small reads cost nothing. */
const LOOK_EVERY_MS = 5_000;

/**
 * Reads the files, and looks whether they have changed from time to time.
 * @throws Error for options that cannot work, or a file that cannot be read.
 */
export function credentialFiles(options: CredentialOptions, listener: CredentialListener): CredentialFiles {
  const given = filesOf(options);
  if (given === undefined) return { current: undefined, look: async () => undefined, stop: () => undefined };
  const paths = given;
  let read: Read = paths.map((file) => (file === undefined ? undefined : readFileSync(file)));
  let current = credentialsOf(read);
  let refused: Read = [];
  let looking: Promise<void> | undefined;

  async function again(): Promise<void> {
    const found: Read = await Promise.all(
      paths.map(async (file) => (file === undefined ? undefined : readFile(file))),
    );
    if (same(found, read) || same(found, refused)) return;
    try {
      check(found);
      read = found;
      current = credentialsOf(found);
      listener.changed(current);
    } catch (error) {
      refused = found;
      listener.unusable(messageOf(error));
    }
  }
  const look = (): Promise<void> =>
    // A file that is not there is being replaced.
    (looking ??= again()
      .catch(() => undefined)
      .finally(() => (looking = undefined)));
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return {
    get current() {
      return current;
    },
    look,
    stop: () => clearInterval(timer),
  };
}

function filesOf({ endpoints, caFile, certFile, keyFile }: CredentialOptions) {
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new Error('etcd: a client certificate needs its key, and a key its certificate');
  }
  const files = [caFile, certFile, keyFile];
  if (files.every((file) => file === undefined)) return undefined;
  if (endpoints.some((endpoint) => !endpoint.startsWith('https:'))) {
    throw new Error('etcd: certificates are given, but the endpoints are not https');
  }
  return files;
}

/** Absent roots mean the system's, which the package's type leaves out. */
const credentialsOf = ([rootCertificate, certChain, privateKey]: Read): Credentials => ({
  rootCertificate: rootCertificate as Buffer,
  certChain,
  privateKey,
});

const same = (one: Read, other: Read): boolean =>
  one.length === other.length && one.every((text, at) => text === undefined || other[at]?.equals(text));

/** Files are replaced one after the other: between two a certificate has the key of another. Throws Error. */
function check([ca, certificate, key]: Read): void {
  if (ca !== undefined) parse('--etcd-cafile', () => new X509Certificate(ca));
  if (certificate === undefined || key === undefined) return;
  const shown = parse('--etcd-certfile', () => new X509Certificate(certificate));
  const its = parse('--etcd-keyfile', () => createPrivateKey(key));
  if (!shown.checkPrivateKey(its)) throw new Error('--etcd-keyfile is not the key of --etcd-certfile');
}

/** The reason of Node would tell of what is in the file. */
function parse<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`${flag} is not PEM of what it must be`);
  }
}
