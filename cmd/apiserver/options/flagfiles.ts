/** Files in flags. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { TokenLookup } from '../../../pkg/authentication/bearer.js';
import { parseBundle, type AuthorityBundle } from '../../../pkg/authentication/certificates/bundle.js';
import { parseTokenFile } from '../../../pkg/authentication/tokenfile.js';
import type { KeyPair } from '../../../pkg/pki/issue.js';
import type { Options } from './options.js';
import { parseYamlFile } from '../../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import type { ReadNamed } from '../../../pkg/apimachinery/schema/configfile.js';
import { inWords, reasonAlone, StartError } from '../../../pkg/apimachinery/starterror.js';

/** Reads the operator's serving certificate now, and on each call. Throws StartError. */
export function ownCertificateOf({ tlsCertFile, tlsPrivateKeyFile }: Options): (() => KeyPair) | undefined {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined) return undefined;
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) {
    throw new StartError('--tls-cert-file and --tls-private-key-file must be given together');
  }
  const read = (): KeyPair => {
    const certificate = readFlagFile('tls-cert-file', tlsCertFile);
    const key = readFlagFile('tls-private-key-file', tlsPrivateKeyFile);
    try {
      createSecureContext({ cert: certificate, key });
    } catch (error) {
      const why = inWords(error);
      throw new StartError(`--tls-cert-file ${tlsCertFile} and --tls-private-key-file do not match: ${why}`);
    }
    return { certificate, key };
  };
  read();
  return read;
}

/** Certificates of authorities; undefined without the flag. Throws StartError. */
export const authoritiesOf = (flag: string, path: string | undefined): AuthorityBundle | undefined =>
  path === undefined ? undefined : parseFlagFile(flag, path, parseBundle);

/** Throws StartError. */
export const tokensOf = (path: string | undefined): TokenLookup | undefined =>
  path === undefined ? undefined : parseFlagFile('token-auth-file', path, parseTokenFile);

/** Parses the file in a flag. Throws StartError, which names both. */
function parseFlagFile<T>(flag: string, path: string, parse: (text: string) => T): T {
  const text = readFlagFile(flag, path);
  try {
    return parse(text);
  } catch (error) {
    throw new StartError(`--${flag} ${path}: ${inWords(error)}`);
  }
}

/** Parses the YAML in a flag. `read` takes paths that are relative to the file. Throws StartError. */
export const parseFlagYaml = <T>(
  flag: string,
  path: string,
  parse: (document: unknown, read: ReadNamed) => T,
): T => parseFlagFile(flag, path, (text) => parse(parseYamlFile(text), readerBeside(path)));

/** Its errors do not have the path: somebody may write a secret in the place of one. */
const readerBeside =
  (path: string): ReadNamed =>
  (named) => {
    try {
      return readFileSync(resolve(dirname(path), named), 'utf8');
    } catch (error) {
      throw new Error(`the file that it names, relative to this one: ${reasonAlone(error)}`);
    }
  };

/** The text of the file in a flag. Throws StartError, which names both. */
export function readFlagFile(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError(`--${flag} ${path}: ${inWords(error)}`);
  }
}
