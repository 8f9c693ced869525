/** An EncryptionConfiguration and a KMS plug-in in the Pods of the chart. */
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { configuredKeyring, kmsProvidersOf } from '../../pkg/storage/encryption/configuration.js';
import {
  KMS_PROVIDER,
  podSpecs,
  render,
  renderText,
  VALUE_SETS,
  type ChartObject,
  type PodSpec,
} from '../fixtures/host/chart.js';
import { describeWith } from '../fixtures/program.js';
import { SECRET_RECORDS } from '../../pkg/management/secretrecords.js';

const BACKUP = ['backup.enabled=true', 'backup.claimName=backups'];
const CONFIG =
  '--encryption-provider-config=/etc/management-apiserver/encryption-configuration/encryption-configuration.yaml';
const FOLDER = '/etc/management-apiserver/encryption-configuration';
const HOST_PATH = [...KMS_PROVIDER, 'encryption.kms.hostPath=/run/kms-plugin'];
const SIDECAR = VALUE_SETS['a KMS plug-in beside each server'] ?? [];

/** The Pods that read the store: of servers, and of backups. */
const keyUsers = (objects: readonly ChartObject[]): PodSpec[] =>
  objects.filter(({ kind }) => kind === 'Deployment' || kind === 'CronJob').flatMap(podSpecs);
const made = (objects: readonly ChartObject[]): ChartObject | undefined =>
  objects.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name.endsWith('encryption-configuration'),
  );

describeWith('helm')('the chart with a KMS', () => {
  test.each([
    ['by hostPath', HOST_PATH, { hostPath: { path: '/run/kms-plugin', type: 'Directory' } }],
    ['of a sidecar', SIDECAR, { emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
  ])('mounts the socket %s into servers and backups, to be read only', (_how, values, source) => {
    const pods = keyUsers(render([...values, ...BACKUP]));
    expect(pods).toHaveLength(2);
    for (const { containers, volumes } of pods) {
      expect(containers[0]?.args).toContain(CONFIG);
      expect(containers[0]?.volumeMounts).toEqual(
        expect.arrayContaining([
          { name: 'kms', mountPath: '/var/run/kms', readOnly: true },
          { name: 'encryption-configuration', mountPath: FOLDER, readOnly: true },
        ]),
      );
      expect(volumes).toContainEqual({ name: 'kms', ...source });
    }
  });

  test('starts the sidecar before what asks it, as the user that asks, and mounts its volumes into nothing else', () => {
    for (const { initContainers, containers, volumes, securityContext } of keyUsers(render(SIDECAR))) {
      const plugin = initContainers?.at(-1);
      expect(plugin).toMatchObject({
        name: 'kms-plugin',
        image: 'registry.example/kms-plugin:1',
        restartPolicy: 'Always',
        args: ['--listen-addr=unix:///var/run/kms/socket'],
        volumeMounts: [
          { name: 'kms', mountPath: '/var/run/kms' },
          { name: 'kms-token', mountPath: '/var/run/kms-token' },
        ],
      });
      expect(volumes).toContainEqual({ name: 'kms-token', emptyDir: { medium: 'Memory' } });
      expect(containers[0]?.volumeMounts?.map(({ name }) => name)).not.toContain('kms-token');
      expect(securityContext).toMatchObject({ runAsUser: 65_532, supplementalGroups: [2000] });
    }
  });

  test('makes a Secret of inline providers that the server reads, and keeps it when the release goes', () => {
    const secret = made(render(HOST_PATH));
    expect(secret?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    const configuration: unknown = parse(secret?.stringData?.['encryption-configuration.yaml'] ?? '');
    expect(kmsProvidersOf(configuration)).toMatchObject([
      { name: 'vault', endpoint: 'unix:///var/run/kms/socket' },
    ]);
    const key = Buffer.alloc(32, 7).toString('base64');
    const local = made(
      render([
        'encryption.providerConfig.resources[0].resources={secrets,*.management.svc.example}',
        'encryption.providerConfig.resources[0].providers[0].aesgcm.keys[0].name=key1',
        `encryption.providerConfig.resources[0].providers[0].aesgcm.keys[0].secret=${key}`,
      ]),
    );
    const parsed: unknown = parse(local?.stringData?.['encryption-configuration.yaml'] ?? '');
    expect(() => configuredKeyring(parsed, SECRET_RECORDS)).not.toThrow();
  });

  test('takes a Secret of yours instead, and makes none', () => {
    const objects = render(['encryption.providerConfig.secretName=ours']);
    expect(made(objects)).toBeUndefined();
    const [pod] = keyUsers(objects);
    expect(pod?.volumes?.find(({ name }) => name === 'encryption-configuration')).toMatchObject({
      secret: { secretName: 'ours' },
    });
    expect(pod?.volumes?.map(({ name }) => name)).not.toContain('kms');
  });

  test('leaves the network policies as they are', () => {
    const policies = (values: readonly string[]): ChartObject[] =>
      render(values).filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies(SIDECAR)).toEqual(policies(BACKUP));
  });

  const PROVIDER = 'encryption.providerConfig.resources[0].providers[0]';
  const refused: [string, string[], RegExp][] = [
    ['a plug-in whose socket is from nowhere', [...KMS_PROVIDER], /must say where its socket is from/],
    [
      'a socket of a node and of a sidecar',
      [...HOST_PATH, 'encryption.kms.sidecar.image=x'],
      /hostPath and encryption\.kms\.sidecar\.image exclude each other/,
    ],
    [
      'a socket that no provider names',
      ['encryption.kms.hostPath=/run/kms'],
      /encryption\.kms requires encryption\.providerConfig/,
    ],
    [
      'two configurations',
      [...HOST_PATH, 'encryption.providerConfig.secretName=ours'],
      /resources and encryption\.providerConfig\.secretName exclude each other/,
    ],
    ['a relative directory', [...KMS_PROVIDER, 'encryption.kms.hostPath=run'], /hostPath/],
    ['a directory above another', [...KMS_PROVIDER, 'encryption.kms.hostPath=/run/../etc'], /hostPath/],
    ['version 1 of the plug-ins', [...HOST_PATH, `${PROVIDER}.kms.apiVersion=v1`], /apiVersion/],
    ['a socket elsewhere', [...HOST_PATH, `${PROVIDER}.kms.endpoint=unix:///tmp/s`], /endpoint/],
    [
      'a provider that is not supported',
      [...HOST_PATH, `${PROVIDER}.aescbc.keys[0].name=a`],
      /aescbc|providers/,
    ],
    ['two providers in one entry', [...HOST_PATH, `${PROVIDER}.secretbox.keys[0].name=a`], /providers/],
    ['the flag itself', ['server.flags={--encryption-provider-config=/x}'], /flags/],
  ];
  test.each(refused)('refuses %s', (_name, values, message) => {
    expect(() => renderText(values)).toThrow(message);
  });
});
