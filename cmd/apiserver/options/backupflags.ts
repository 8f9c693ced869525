import { durationBetween, wholeNumber } from '../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { text } from './flagvalues.js';

/** Options of backups that a server makes by itself. */
export const BACKUP_FLAGS = {
  backupDirectory: define({
    name: 'backup-directory',
    value: '<directory>',
    description:
      'Back the store up into this directory, by itself; of several servers, the one that leads does.',
    parse: text,
  }),
  backupInterval: defaulted({
    name: 'backup-interval',
    value: '<duration>',
    description: 'How old the newest backup in --backup-directory may be.',
    fallback: '24h0m0s',
    parse: durationBetween('10s', '8760h'),
  }),
  backupRetain: defaulted({
    name: 'backup-retain',
    value: '<number>',
    description: 'How many backups stay in --backup-directory, the newest ones.',
    fallback: '7',
    parse: wholeNumber(1, 10_000),
  }),
} as const;
