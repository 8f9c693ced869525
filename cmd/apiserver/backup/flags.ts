/** Options of `backup`, `restore` and `store copy` alone. */

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

export const UNSEALED_FLAG = {
  name: 'allow-unsealed',
  value: '[true|false]',
  description:
    'Take a backup of a store that was not encrypted, though there are keys: anybody could have made it.',
  fallback: 'false',
} as const;

export const COPY_FLAGS = [
  {
    name: 'to-data-dir',
    value: '<directory>',
    description: 'Data directory of the copy, for the embedded store.',
  },
  { name: 'to-etcd-servers', value: '<urls>', description: 'etcd of the copy.' },
  {
    name: 'to-etcd-prefix',
    value: '<prefix>',
    description: 'Key prefix of the copy in etcd.',
    fallback: '/management',
  },
  { name: 'to-etcd-cafile', value: '<file>', description: 'Authorities of the etcd of the copy, PEM.' },
  {
    name: 'to-etcd-certfile',
    value: '<file>',
    description: 'Client certificate for the etcd of the copy, PEM.',
  },
  { name: 'to-etcd-keyfile', value: '<file>', description: 'Key of the client certificate, PEM.' },
] as const;
