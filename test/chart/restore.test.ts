/** The Job of the chart that restores a backup, and what stands still meanwhile. */
import { expect, test } from '@jest/globals';
import { podSpecs, render, renderText, type PodSpec } from '../fixtures/host/chart.js';
import { describeWith } from '../fixtures/program.js';

const FROM = 'restore.from=a.backup';
const CLAIM = 'restore.claimName=backups';

const jobs = (values: readonly string[]) => render(values).filter(({ kind }) => kind === 'Job');
const restorePod = (values: readonly string[]): PodSpec | undefined =>
  jobs(values)
    .filter(({ metadata: { name } }) => name.includes('-restore-'))
    .flatMap(podSpecs)[0];

describeWith('helm')('the restore of the chart', () => {
  test('is a Job that reads the backup, while nothing else uses the store', () => {
    const objects = render([FROM, 'backup.enabled=true', 'backup.claimName=backups', 'backup.log=true']);
    const replicas = objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec?.replicas);
    expect(replicas).toEqual([0, 0]);
    expect(objects.find(({ kind }) => kind === 'CronJob')?.spec).toMatchObject({ suspend: true });
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy').map((one) => JSON.stringify(one));
    expect(policies.filter((text) => text.includes(':"restore"'))).toHaveLength(2);
  });

  test('reads a claim or a Secret, and never makes keys', () => {
    const [container] = restorePod([FROM, CLAIM])?.containers ?? [];
    expect(container?.args?.slice(0, 2)).toEqual(['restore', '/backup/a.backup']);
    expect(container?.volumeMounts?.[0]).toEqual({ name: 'backup', mountPath: '/backup', readOnly: true });
    const pod = restorePod([FROM, 'restore.secretName=backup', 'restore.identitySecretName=age']);
    expect(pod?.volumes?.[0]).toMatchObject({ secret: { secretName: 'backup' } });
    expect(pod?.containers[0]?.args).toContain('--identity-file=/etc/management-apiserver/identity/identity');
    expect(pod?.initContainers?.[0]?.args).toContain('--adopt-store');
    expect(
      render([])
        .flatMap(podSpecs)
        .flatMap(({ initContainers: [first] = [] }) => first?.args),
    ).not.toContain('--adopt-store');
  });

  test('is another Job for another backup', () => {
    const names = (values: readonly string[]) => jobs(values).map(({ metadata: { name } }) => name);
    expect(names([FROM, CLAIM])).toEqual(names([FROM, CLAIM]));
    expect(names([FROM, CLAIM])).not.toEqual(names(['restore.from=b.backup', CLAIM]));
  });

  test('is none once its backup is not named any more, whatever else was said of it', () => {
    const more = ['restore.pointInTime=2026-11-23T03:04:05Z', 'restore.allowUnsealed=true'];
    expect(restorePod([FROM, CLAIM, ...more])).toBeDefined();
    expect(restorePod(['restore.from=', CLAIM, ...more, 'server.adoptStore=true'])).toBeUndefined();
  });

  test.each([
    ['no volume', [FROM], /restore\.claimName or restore\.secretName/],
    ['both volumes', [FROM, CLAIM, 'restore.secretName=b'], /exclude each other/],
    ['servers that adopt meanwhile', [FROM, CLAIM, 'server.adoptStore=true'], /exclude each other/],
    ['a path out of the volume', ['restore.from=../x', CLAIM], /restore\/from/],
    ['a time that is none', [FROM, CLAIM, 'restore.pointInTime=yesterday'], /restore\/pointInTime/],
  ])('refuses %s', (_what, values, message) => {
    expect(() => renderText(values)).toThrow(message);
  });
});
