import { boolean, durationBetween, wholeNumber } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { text } from './values.js';

/** Options of scheduled backups. */
export const BACKUP_FLAGS = {
  backupDirectory: define({
    name: 'backup-directory',
    value: '<directory>',
    description:
      'Directory for scheduled backups of the store. Of several servers, only the leader makes them.',
    parse: text,
  }),
  backupInterval: defaulted({
    name: 'backup-interval',
    value: '<duration>',
    description: 'Interval between scheduled backups, from 10s to 8760h.',
    fallback: '24h0m0s',
    parse: durationBetween('10s', '8760h'),
  }),
  backupRetain: defaulted({
    name: 'backup-retain',
    value: '<number>',
    description: 'Number of backups to retain in --backup-directory.',
    fallback: '7',
    parse: wholeNumber(1, 10_000),
  }),
  backupRecipient: define({
    name: 'backup-recipient',
    value: '<age1…>[,<age1…>]',
    description:
      'Encrypt scheduled backups as a whole with age for these recipients. Only their identities decrypt them.',
    parse: text,
  }),
  backupPassphraseFile: define({
    name: 'backup-passphrase-file',
    value: '<file>',
    description:
      'Encrypt scheduled backups as a whole with age by the passphrase in the first line of this file. Mode 0600.',
    parse: text,
  }),
  backupLog: defaulted({
    name: 'backup-log',
    value: '[true|false]',
    description:
      'Log the changes after scheduled backups in --backup-directory, so that the store can be restored as it was at any time between them. Not with --backup-recipient.',
    fallback: 'false',
    parse: boolean,
  }),
} as const;
