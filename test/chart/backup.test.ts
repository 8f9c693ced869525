/** Backups of the chart that are encrypted as a whole. */
import { expect, test } from '@jest/globals';
import { podSpecs, render, renderText } from '../fixtures/chart.js';
import type { PodSpec } from '../fixtures/chart.js';
import { describeWith } from '../fixtures/program.js';

const BACKUP = ['backup.enabled=true', 'backup.claimName=backups'];
const FIRST = `age1${'q'.repeat(58)}`;
const SECOND = `age1${'p'.repeat(58)}`;
const FOLDER = '/etc/management-apiserver/backup';

const backupPod = (values: readonly string[]): PodSpec | undefined =>
  render([...BACKUP, ...values])
    .filter(({ kind }) => kind === 'CronJob')
    .flatMap(podSpecs)[0];
const wrapping = (pod: PodSpec | undefined): string[] =>
  (pod?.containers[0]?.args ?? []).filter((arg) => /^--(recipient|passphrase-file)/.test(arg));

describeWith('helm')('the backups of the chart', () => {
  test('are encrypted for recipients, by a passphrase, or not', () => {
    expect(wrapping(backupPod([]))).toEqual([]);
    expect(wrapping(backupPod([`backup.recipients={${FIRST},${SECOND}}`]))).toEqual([
      `--recipient=${FIRST},${SECOND}`,
    ]);
    const locked = backupPod(['backup.passphraseSecretName=backup-passphrase']);
    expect(wrapping(locked)).toEqual([`--passphrase-file=${FOLDER}/passphrase`]);
    expect(locked?.containers[0]?.volumeMounts).toContainEqual({
      name: 'passphrase',
      mountPath: FOLDER,
      readOnly: true,
    });
    expect(locked?.volumes?.find(({ name }) => name === 'passphrase')).toMatchObject({
      secret: { secretName: 'backup-passphrase', items: [{ key: 'passphrase', path: 'passphrase' }] },
    });
  });

  test.each([
    [
      'recipients and a passphrase',
      [`backup.recipients={${FIRST}}`, 'backup.passphraseSecretName=a'],
      /backup\.recipients and backup\.passphraseSecretName exclude each other/,
    ],
    ['a recipient that is none of age', ['backup.recipients={ssh-ed25519}'], /recipients/],
    ['an identity in the place of a recipient', ['backup.recipients={AGE-SECRET-KEY-1Q}'], /recipients/],
  ])('refuse %s', (_what, values, message) => {
    expect(() => renderText([...BACKUP, ...values])).toThrow(message);
  });
});
