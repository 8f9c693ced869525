/** Options of `backup`, `restore` and `store copy` alone. */
import { FLAGS } from '../options/flags.js';
import type { OwnTexts } from '../options/options.js';
import { StartError } from '../starterror.js';

/** As etcdutl's: a thousand million revisions of etcd, which has 64 of ours in each. */
export const BUMP_FLAG = {
  name: 'bump-revision',
  value: '<number>',
  description:
    'What the revision is raised by: more than was written since the backup, so that clients see no revision again.',
  fallback: '64000000000',
} as const;

export const RETAIN_FLAG = {
  name: 'retain',
  value: '<number>',
  description: 'How many backups stay in a directory, the newest ones. (default: all)',
} as const;

export const RECIPIENT_FLAG = {
  name: 'recipient',
  value: '<age1…>[,<age1…>]',
  description: 'Encrypt the whole backup by age for these recipients, whose identities alone open it.',
} as const;

export const PASSPHRASE_FLAG = {
  name: 'passphrase-file',
  value: '<file>',
  description: 'The passphrase of a backup that is encrypted by age: the first line of a file of mode 0600.',
} as const;

export const IDENTITY_FLAG = {
  name: 'identity-file',
  value: '<file>',
  description:
    'Identities that open a backup that was encrypted by age for recipients, as age-keygen writes them.',
} as const;

export const UNSEALED_FLAG = {
  name: 'allow-unsealed',
  value: '[true|false]',
  description:
    'Take a backup of a store that was not encrypted, though there are keys: anybody could have made it.',
  fallback: 'false',
} as const;

export const TO_PREFIX_FLAG = {
  name: 'to-etcd-prefix',
  value: '<prefix>',
  description: 'Key prefix of the copy in etcd.',
  fallback: FLAGS.etcdPrefix.fallback,
} as const;

export const COPY_FLAGS = [
  {
    name: 'to-data-dir',
    value: '<directory>',
    description: 'Data directory of the copy, for the embedded store.',
  },
  { name: 'to-etcd-servers', value: '<urls>', description: 'etcd of the copy.' },
  TO_PREFIX_FLAG,
  { name: 'to-etcd-cafile', value: '<file>', description: 'Authorities of the etcd of the copy, PEM.' },
  {
    name: 'to-etcd-certfile',
    value: '<file>',
    description: 'Client certificate for the etcd of the copy, PEM.',
  },
  { name: 'to-etcd-keyfile', value: '<file>', description: 'Key of the client certificate, PEM.' },
] as const;

/** What an option was given, or its fallback. Throws StartError. */
export function parsed<T>(
  text: OwnTexts,
  { name, fallback = '' }: { readonly name: string; readonly fallback?: string },
  parse: (text: string) => T,
): T {
  const given = text(name) ?? fallback;
  try {
    return parse(given);
  } catch (error) {
    throw new StartError(`--${name}: "${given}" is not valid: ${(error as Error).message}`);
  }
}
