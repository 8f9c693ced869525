/** docs/recipes/prometheus.md: a Prometheus scrapes a server with the files of the page, and evaluates the rules of the chart. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { freePort, start, type Running } from '../../hack/bench/processes.js';
import { render } from '../fixtures/host/chart.js';
import { patternOf, stepsOf } from '../fixtures/docs/docssteps.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { type PlatformCli, platformCli } from '../fixtures/clients/platformcli.js';
import { describeWith, execute } from '../fixtures/program.js';
import { recipe, writeFiles } from '../fixtures/docs/recipes.js';
import { type ServerFixture, startServer } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const PAGE = recipe('prometheus');
const JOB = 'job="release-management-apiserver",namespace="management"';
const RELEASE_VALUES = [
  'metrics.alerts.enabled=true',
  'replicas=1',
  'backup.enabled=true',
  'backup.claimName=x',
];

const promtool = (...args: string[]) => execute(findProgram('promtool') as string, args);

/** As the page makes it of the chart. */
const rules = (): string =>
  stringify(render(RELEASE_VALUES).find(({ kind }) => kind === 'PrometheusRule')?.spec);

describeWith(
  'prometheus',
  'promtool',
  'helm',
  'kubectl',
)('Prometheus', () => {
  let server: ServerFixture;
  let cli: PlatformCli;
  let prometheus: Running;
  let url: string;

  /** What its API answers; undefined while it does not. */
  const ask = async <T>(path: string): Promise<T | undefined> => {
    const response = await fetch(`${url}/api/v1/${path}`).catch(() => undefined);
    return response?.ok === true ? ((await response.json()) as { data: T }).data : undefined;
  };

  beforeAll(async () => {
    server = await startServer();
    cli = platformCli();
    const login = await cli.run(['--kubeconfig', server.kubeconfig, 'login', '--name', 'admin']);
    expect(login).toMatchObject({ code: 0 });
    const target = { 'management.example.com:6443': `127.0.0.1:${server.port}` };
    const quick = { 'rule_files:': 'global: { scrape_interval: 2s, evaluation_interval: 1s }\nrule_files:' };
    // The chart's fixture has a release of that name.
    const job = { 'job_name: management-apiserver': 'job_name: release-management-apiserver' };
    writeFiles(PAGE, cli.home, { 'rights.yaml': {}, 'prometheus.yml': { ...target, ...quick, ...job } });
    writeFileSync(join(cli.home, 'management-rules.yml'), rules());
    const env = { ...cli.installed(), KUBECONFIG: server.kubeconfig };
    for (const { command, output } of stepsOf(PAGE)) {
      const done = spawnSync('bash', ['-c', command], { cwd: cli.home, env, encoding: 'utf8' });
      expect(done.stdout + done.stderr).toMatch(patternOf(output));
    }
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    prometheus = start(
      findProgram('prometheus') as string,
      [
        `--config.file=${join(cli.home, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(cli.home, 'prometheus')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      join(cli.home, 'prometheus.log'),
    );
  });
  afterAll(async () => {
    await prometheus?.kill();
    cli?.remove();
    await server?.remove();
  });

  test('takes the configuration and the rules', () => {
    const config = promtool('check', 'config', join(cli.home, 'prometheus.yml'));
    expect(config).toMatchObject({ code: 0, out: expect.stringContaining('11 rules found') });
  });

  test('scrapes the server as a user who may read metrics and nothing else', async () => {
    interface Targets {
      readonly activeTargets: readonly { readonly health: string; readonly lastError: string }[];
    }
    const scraped = await eventually('a scrape', async () =>
      (await ask<Targets>('targets'))?.activeTargets.find(({ health }) => health === 'up'),
    );
    expect(scraped).toMatchObject({ health: 'up', lastError: '' });
    interface Result {
      readonly result: readonly {
        readonly metric: Record<string, string>;
        readonly value: [number, string];
      }[];
    }
    const counted = await eventually('a sample', async () => {
      const answer = await ask<Result>(`query?query=apiserver_request_total{${JOB},resource="users"}`);
      return answer?.result[0];
    });
    expect(counted.metric).toMatchObject({ job: 'release-management-apiserver', namespace: 'management' });
    const key = readFileSync(join(cli.home, 'management.key'), 'utf8').trim();
    const { status } = spawnSync('bash', ['-c', 'platform list users'], {
      cwd: cli.home,
      env: { ...cli.installed(), HOME: '/nonexistent', PLATFORM_URL: server.url, PLATFORM_ACCESS_KEY: key },
    });
    expect(status).not.toBe(0);
  });

  test('evaluates every alert without an error', async () => {
    interface Groups {
      readonly groups: readonly {
        readonly rules: readonly { name: string; health: string; lastError?: string }[];
      }[];
    }
    const evaluated = await eventually('all rules', async () => {
      const found = (await ask<Groups>('rules'))?.groups.flatMap((group) => group.rules) ?? [];
      return found.length > 0 && found.every(({ health }) => health !== 'unknown') ? found : undefined;
    });
    expect(evaluated.map(({ name, health, lastError }) => [name, health, lastError])).toEqual(
      evaluated.map(({ name }) => [name, 'ok', undefined]),
    );
    expect(evaluated).toHaveLength(11);
  });

  /** Series as promtool writes them, a sample a minute, or in ten where it takes hours: `0x60` is sixty more of the same. */
  test.each([
    ['ManagementStoreDown', 3, 'management_apiserver_store_up{JOB}', '1 0 0 0 0', 2, {}],
    [
      'ManagementStoreRefused',
      2,
      'management_apiserver_store_refused{JOB,reason="empty"}',
      '0 1 1 1',
      1,
      { reason: 'empty' },
    ],
    ['ManagementEtcdFull', 2, 'management_apiserver_etcd_full{JOB}', '0 1 1 1', 1, {}],
    [
      'ManagementEtcdSpaceLow',
      7,
      ['management_apiserver_etcd_size_bytes{JOB}', 'management_apiserver_etcd_quota_bytes{JOB}'],
      // Exactly four fifths, then more.
      ['80 80 81x30', '100x30'],
      6,
      {},
    ],
    [
      'ManagementKeySecretLost',
      140,
      'management_apiserver_key_secret_lost_timestamp_seconds{JOB}',
      '0x12 7800x40',
      120,
      {},
    ],
    [
      'ManagementServingCertificateEnds',
      15,
      'management_apiserver_serving_certificate_expiration_timestamp_seconds{JOB}',
      '600x30',
      14,
      {},
    ],
    [
      'ManagementControllersLeaderless',
      6,
      'leader_election_master_status{JOB,name="management-controllers"}',
      '0x30',
      4,
      {},
    ],
    ['ManagementErrors', 16, 'apiserver_request_total{JOB,code="503"}', '0+10x30', 5, {}],
    [
      'ManagementSlow',
      16,
      [
        'apiserver_request_duration_seconds_bucket{JOB,verb="GET",resource="users",le="0.1"}',
        'apiserver_request_duration_seconds_count{JOB,verb="GET",resource="users"}',
      ],
      // All requests are counted, and those in time are fewer by one in fifty from the third minute on.
      ['0+100x3 398+98x30', '0+100x33'],
      5,
      {},
    ],
    ['ManagementServersMissing', 11, 'up{JOB}', '1 0x30', 9, {}],
    [
      'ManagementBackupOld',
      1640,
      'management_apiserver_last_backup_timestamp_seconds{JOB}',
      '0x200',
      1600,
      {},
    ],
  ])(
    '%s fires %d minutes after the start, and not sooner',
    (alert, fires, series, values, before, labels) => {
      const interval = fires > 60 ? '10m' : '1m';
      const { groups } = parse(rules()) as { groups: { rules: AlertRule[] }[] };
      const rule = groups.flatMap((group) => group.rules).find((one) => one.alert === alert);
      const fired = { exp_labels: { ...rule?.labels, ...labels }, exp_annotations: rule?.annotations };
      const unit = {
        rule_files: ['management-rules.yml'],
        evaluation_interval: interval,
        tests: [
          {
            interval,
            input_series: [series].flat().map((one, at) => ({
              series: one.replace('JOB', JOB),
              values: [values].flat()[at],
            })),
            alert_rule_test: [
              { eval_time: `${before}m`, alertname: alert, exp_alerts: [] },
              { eval_time: `${fires}m`, alertname: alert, exp_alerts: [fired] },
            ],
          },
        ],
      };
      const file = join(cli.home, 'unit.yml');
      writeFileSync(file, stringify(unit));
      expect(promtool('test', 'rules', file)).toMatchObject({ code: 0 });
    },
  );
});

interface AlertRule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
