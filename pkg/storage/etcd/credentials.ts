/** The client certificate and the authorities for etcd: PEM files, reloaded when they change. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IOptions } from 'etcd3';
import { messageOf } from '../../apimachinery/caught.js';

export interface CredentialOptions {
  readonly endpoints: readonly string[];
  /** PEM files. Without a CA the system's roots are trusted. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** Undefined: no TLS options are set. */
export type Credentials = IOptions['credentials'];

export interface CredentialFiles {
  /** The last valid credentials that were read. */
  readonly current: Credentials;
  /** Reads the files; `changed` is called before it resolves. Never rejects. */
  reload(): Promise<void>;
  stop(): void;
}

/** Receives changes of the files. */
export interface CredentialListener {
  readonly changed: (credentials: Credentials) => void;
  /**
   * Called once for each change to files that cannot be used; the former ones stay in use. `reason` is for
   * people.
   */
  readonly unusable: (reason: string) => void;
}

type Read = readonly (Buffer | undefined)[];

/** Kubelet updates files of Secrets within a minute; three small reads are cheap. */
const CHECK_INTERVAL_MS = 5_000;

/**
 * Reads the files, and checks them for changes periodically.
 * @throws Error for invalid options, or a file that cannot be read
 */
export function credentialFiles(options: CredentialOptions, listener: CredentialListener): CredentialFiles {
  const given = filesOf(options);
  if (given === undefined)
    return { current: undefined, reload: async () => undefined, stop: () => undefined };
  const paths = given;
  let read: Read = paths.map((file) => (file === undefined ? undefined : readFileSync(file)));
  let current = credentialsOf(read);
  let refused: Read = [];
  let reloading: Promise<void> | undefined;

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
  const reload = (): Promise<void> =>
    // A missing file is being replaced.
    (reloading ??= again()
      .catch(() => undefined)
      .finally(() => (reloading = undefined)));
  const timer = setInterval(() => void reload(), CHECK_INTERVAL_MS).unref();
  return {
    get current() {
      return current;
    },
    reload,
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

/** Undefined roots mean the system's, which the package's type does not allow. */
const credentialsOf = ([rootCertificate, certChain, privateKey]: Read): Credentials => ({
  rootCertificate: rootCertificate as Buffer,
  certChain,
  privateKey,
});

const same = (one: Read, other: Read): boolean =>
  one.length === other.length && one.every((text, at) => text === undefined || other[at]?.equals(text));

/**
 * Files are replaced one after the other, so a certificate may not match its key for a moment. Throws Error.
 */
function check([ca, certificate, key]: Read): void {
  if (ca !== undefined) parse('--etcd-cafile', () => new X509Certificate(ca));
  if (certificate === undefined || key === undefined) return;
  const shown = parse('--etcd-certfile', () => new X509Certificate(certificate));
  const its = parse('--etcd-keyfile', () => createPrivateKey(key));
  if (!shown.checkPrivateKey(its)) throw new Error('--etcd-keyfile is not the key of --etcd-certfile');
}

/** Node's error would contain parts of the file. */
function parse<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`${flag} is not PEM of what it must be`);
  }
}
