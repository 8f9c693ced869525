/** What `platform connect cluster` by an agent needs: a chart, an image that can be pulled, a URL that is reached, and rights. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { API } from '../../fixtures/agents/tunnel.js';
import { client } from '../../fixtures/clients/client.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { execute } from '../../fixtures/program.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { ADMIN_TOKEN, startServer, VIEWER_TOKEN, type ServerFixture } from '../../fixtures/servers/server.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';

const CHART_FILE = `management-agent-chart-${SERVER_VERSION}.tgz`;
const WEST = ['connect', 'cluster', 'west'];
const IMAGE = ['--image-repository', 'registry.example.com:5000/management-apiserver'];

let server: ServerFixture;
let cli: PlatformCli;

beforeAll(async () => {
  server = await startServer();
  cli = platformCli();
  const ca = join(cli.home, 'ca.crt');
  writeFileSync(ca, authorityOf(server));
  expect((await cli.run(['login', server.url, '--ca-file', ca], { input: ADMIN_TOKEN })).code).toBe(0);
});
afterAll(async () => {
  cli?.remove();
  await server?.remove();
});

/** A new folder with a `helm` that writes down its arguments and has no release, but `says`. */
function recordingHelm(says = 'release: not found'): { path: string; args: () => string } {
  const bin = mkdtempSync(join(cli.home, 'helm-'));
  const args = join(bin, 'args');
  const script = `#!/bin/sh
echo "$*" >> '${args}'
cat > /dev/null
if [ "$1" = get ]; then echo 'Error: ${says}' >&2; exit 1; fi
`;
  writeFileSync(join(bin, 'helm'), script, { mode: 0o755 });
  return { path: [bin, cli.env.PATH].join(delimiter), args: () => readFileSync(args, 'utf8') };
}

const helm = (...args: string[]): string => execute(findProgram('helm') as string, args).out;
const isMade = async (): Promise<boolean> =>
  (await client(server).send('GET', `${API}/clusters/west`)).status !== 404;

test('nothing is made where nobody says from where the image comes, or a URL that the cluster reaches', async () => {
  for (const flags of [['--print'], ['--yes']]) {
    expect(await cli.execute([...WEST, ...flags, '--server-url', server.url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--image-repository registry.example.com/management-apiserver'),
    });
    expect(await cli.execute([...WEST, ...flags, ...IMAGE])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/the agent cannot reach https:\/\/127\.0\.0\.1:\d+, .*--server-url/),
    });
  }
  expect(await isMade()).toBe(false);
});

test('it installs the chart that comes with the program', async () => {
  const { path, args } = recordingHelm();
  const flags = ['--yes', '--no-wait', ...IMAGE, '--server-url', 'https://platform.example.com'];
  const { code, stderr } = await cli.execute([...WEST, ...flags], { env: { PATH: path } });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Installing the agent')]);
  const [, chart = ''] = /^upgrade --install management-agent (\S+) /m.exec(args()) ?? [];
  expect(args()).toContain('--set image.repository=registry.example.com:5000/management-apiserver');
  expect(helm('show', 'chart', chart)).toContain(`name: management-agent\n`);
  expect(helm('show', 'chart', chart)).toContain(`version: ${SERVER_VERSION}\n`);
});

test('with --print the chart is put beside it, and what is there already is not overwritten', async () => {
  const cwd = join(cli.home, 'printed');
  mkdirSync(cwd);
  const command = [...WEST, '--print', ...IMAGE, '--server-url', 'https://platform.example.com'];
  for (const _time of ['first', 'again']) {
    const { code, stdout, stderr } = await cli.execute(command, { cwd });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${CHART_FILE}, which is in this folder`)]);
    expect(stdout).toContain(`helm upgrade --install management-agent ${CHART_FILE} --namespace`);
    expect(stdout).toContain('--set-string join.server=https://platform.example.com ');
  }
  expect(helm('show', 'chart', join(cwd, CHART_FILE))).toContain('name: management-agent\n');
  writeFileSync(join(cwd, CHART_FILE), 'of somebody');
  expect(await cli.execute(command, { cwd })).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/is not the chart of this program; delete it, or name .* with --chart/),
  });
  expect(readFileSync(join(cwd, CHART_FILE), 'utf8')).toBe('of somebody');
});

test('who lacks a right is told which, at which server, and how to find out who has it', async () => {
  const env = {
    PLATFORM_ACCESS_KEY: VIEWER_TOKEN,
    PLATFORM_URL: server.url,
    PLATFORM_CA_FILE: join(cli.home, 'ca.crt'),
  };
  const agent = ['--print', ...IMAGE, '--server-url', server.url, '--chart', 'chart.tgz'];
  for (const [flags, right] of [
    [agent, 'get clusterrolebindings.rbac.authorization.k8s.io management-agent-west'],
    [['--kubeconfig-file', server.kubeconfig], 'get cluster west'],
  ] as const) {
    const { code, stderr } = await cli.run([...WEST, ...flags], { env });
    expect([code, stderr]).toEqual([4, expect.stringContaining(`"platform who-can ${right}"`)]);
    expect(stderr).toContain(`"viewer" may not get `);
    expect(stderr).toContain(` at ${server.url}; `);
  }
});

test('who lacks a right in the cluster is told to have its administrator install the agent', async () => {
  const says = 'query: secrets is forbidden: User "ben" cannot list resource "secrets" in API group ""';
  const flags = ['--yes', ...IMAGE, '--server-url', server.url, '--chart', 'chart.tgz'];
  expect(await cli.run([...WEST, ...flags], { env: { PATH: recordingHelm(says).path } })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /secrets is forbidden.*have an administrator of the cluster run .* --print/,
    ),
  });
});
