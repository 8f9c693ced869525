/** Backups of the chart: encrypted as a whole, and with a log of what changes after them. */
import { expect, test } from '@jest/globals';
import { KMS_PROVIDER, podSpecs, render, renderText, type PodSpec } from '../fixtures/host/chart.js';
import { describeWith } from '../fixtures/program.js';

const BACKUP = ['backup.enabled=true', 'backup.claimName=backups'];
const FIRST = `age1${'q'.repeat(58)}`;
const SECOND = `age1${'p'.repeat(58)}`;
const FOLDER = '/etc/management-apiserver/backup';

const LOG = /-backup-log$/;
const SIDECAR = 'encryption.kms.sidecar.image=registry.example.com/kms-plugin:1.0';

const names = (values: readonly string[]): string[] => render(values).map(({ metadata }) => metadata.name);
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

  test('are logged after by a Pod of its own, where that is asked for', () => {
    const values = ['backup.passphraseSecretName=backup-passphrase', ...KMS_PROVIDER, SIDECAR];
    expect(names([...BACKUP])).not.toContainEqual(expect.stringMatching(/backup-log$/));
    const objects = render([...BACKUP, ...values, 'backup.log=true']);
    const log = objects.find(({ kind, metadata: { name } }) => kind === 'Deployment' && LOG.test(name));
    const [pod] = podSpecs(log!) as [PodSpec];
    const [container, ...others] = pod.containers;
    expect([container?.args?.slice(0, 4), others]).toEqual([['backup', 'log', '/backup', '--follow'], []]);
    // A log goes on from a backup.
    const first = pod.initContainers?.at(-1);
    expect(first?.args?.slice(0, 3)).toEqual(['backup', 'create', '/backup/']);
    // What reaches the store, its keys and the claim is what the backups have.
    const backup = backupPod(values)?.containers[0];
    const options = (args: readonly string[] = []): string[] =>
      args.filter((arg) => arg.startsWith('--') && !/^--(follow|retain)/.test(arg));
    expect(options(container?.args)).toEqual(options(backup?.args));
    expect(container?.volumeMounts).toEqual(backup?.volumeMounts);
    expect(pod.volumes).toEqual(backupPod(values)?.volumes);
    expect(log?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    // It reaches etcd, through the policies of both.
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy').map((one) => JSON.stringify(one));
    expect(policies.filter((text) => text.includes('"backup-log"'))).toHaveLength(2);
  });

  test.each([
    [
      'a log for recipients, whose identity it would need',
      ['backup.log=true', `backup.recipients={${FIRST}}`],
      /backup\.log and backup\.recipients exclude each other/,
    ],
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
