/** Flags of commands that read or write backups which are encrypted with age. */

export const RECIPIENT_FLAG = {
  name: 'recipient',
  value: '<age1…>[,<age1…>]',
  description: 'Encrypt the whole backup with age for these recipients. Only their identities decrypt it.',
} as const;

export const PASSPHRASE_FLAG = {
  name: 'passphrase-file',
  value: '<file>',
  description:
    'File with the passphrase of a backup that is encrypted with age, in its first line. Mode 0600.',
} as const;

export const IDENTITY_FLAG = {
  name: 'identity-file',
  value: '<file>',
  description:
    'File with age identities, as age-keygen writes it, to decrypt a backup that was encrypted for recipients.',
} as const;
