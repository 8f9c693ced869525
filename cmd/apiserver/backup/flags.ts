/** Flags of `backup`, `restore` and `store copy` only. */
import { messageOf } from '../../../pkg/apimachinery/caught.js';
import { FLAGS } from '../options/flags/flags.js';
import type { OwnTexts } from '../options/options.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';

/**
 * The default is that of etcdutl: a thousand million revisions of etcd, each of which is 64 revisions of the server.
 */
export const BUMP_FLAG = {
  name: 'bump-revision',
  value: '<number>',
  description:
    'How much to raise the revision by. It must exceed the number of revisions written since the backup, so that no client sees a revision twice.',
  fallback: '64000000000',
} as const;

export const RETAIN_FLAG = {
  name: 'retain',
  value: '<number>',
  description: 'Number of backups to retain in a directory. (default: all)',
} as const;

export const UNSEALED_FLAG = {
  name: 'allow-unsealed',
  value: '[true|false]',
  description:
    'Accept a backup of an unencrypted store although encryption keys are configured. Such a backup is not authenticated: anybody could have made it.',
  fallback: 'false',
} as const;

export const FOLLOW_FLAG = {
  name: 'follow',
  value: '[true|false]',
  description: 'Continue to log changes until terminated. Without it, log those up to now.',
  fallback: 'false',
} as const;

export const SEGMENT_FLAG = {
  name: 'segment-interval',
  value: '<duration>',
  description: 'With --follow, complete a segment of the log this often, 1s to 5m.',
  fallback: '1m0s',
} as const;

export const POINT_FLAG = {
  name: 'point-in-time',
  value: '<time>',
  description:
    'Restore the last state that the log has at this time or before, in RFC 3339 such as 2026-01-02T03:04:05Z. (default: the end of the log)',
} as const;

export const TO_PREFIX_FLAG = {
  name: 'to-etcd-prefix',
  value: '<prefix>',
  description: 'Prefix of all keys of the copy in etcd.',
  fallback: FLAGS.etcdPrefix.fallback,
} as const;

export const COPY_FLAGS = [
  {
    name: 'to-data-dir',
    value: '<directory>',
    description: 'Data directory to copy to, for the embedded store.',
  },
  { name: 'to-etcd-servers', value: '<urls>', description: 'Comma-separated URLs of the etcd to copy to.' },
  TO_PREFIX_FLAG,
  {
    name: 'to-etcd-cafile',
    value: '<file>',
    description: 'File with the certificate authority of the etcd to copy to, PEM.',
  },
  {
    name: 'to-etcd-certfile',
    value: '<file>',
    description: 'File with the client certificate for the etcd to copy to, PEM.',
  },
  {
    name: 'to-etcd-keyfile',
    value: '<file>',
    description: 'File with the private key of --to-etcd-certfile, PEM.',
  },
] as const;

/** The value of a flag, or its default. Throws StartError. */
export function parsed<T>(
  text: OwnTexts,
  { name, fallback = '' }: { readonly name: string; readonly fallback?: string },
  parse: (text: string) => T,
): T {
  const given = text(name) ?? fallback;
  try {
    return parse(given);
  } catch (error) {
    throw new StartError(`--${name}: "${given}" is not valid: ${messageOf(error)}`);
  }
}
