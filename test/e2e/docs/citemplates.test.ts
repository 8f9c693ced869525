/** The scripts of the pipeline templates in deploy/ci, which a shell runs without their platforms. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { parse } from 'yaml';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { client } from '../../fixtures/clients/client.js';
import { fileOf } from '../../fixtures/docs/recipes.js';
import { type PlatformCli, platformCli } from '../../fixtures/clients/platformcli.js';
import { ADMIN_TOKEN, type ServerFixture, startServer } from '../../fixtures/servers/server.js';
import { startWorkloadIssuer, type WorkloadIssuerFixture } from '../../fixtures/stubs/workloadissuer.js';

const CI = fileURLToPath(new URL('../../../deploy/ci', import.meta.url));
const AUDIENCE = 'https://management.example.com';
const read = <T>(name: string): T => parse(readFileSync(join(CI, name), 'utf8')) as T;

let issuer: WorkloadIssuerFixture;
let server: ServerFixture;
let cli: PlatformCli;
let ca: string;
let projectKey: string;

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  issuer = await startWorkloadIssuer();
  const files = platformCli();
  const config = {
    issuer: issuer.issuer,
    audience: AUDIENCE,
    caFile: 'issuer.pem',
    rules: [{ name: 'ci', claims: { sub: 'the job' }, user: 'ci' }],
  };
  const type = { apiVersion: 'config.management.svc.example/v1', kind: 'WorkloadIdentityConfiguration' };
  writeFileSync(join(files.home, 'issuer.pem'), issuer.authority);
  writeFileSync(join(files.home, 'workload.json'), JSON.stringify({ ...type, issuers: [config] }));
  server = await startServer({ flags: [`--workload-identity-config=${join(files.home, 'workload.json')}`] });
  ca = authorityOf(server);
  const env = {
    PLATFORM_URL: server.url,
    PLATFORM_ACCESS_KEY: ADMIN_TOKEN,
    PLATFORM_CA_FILE: join(files.home, 'ca'),
  };
  writeFileSync(env.PLATFORM_CA_FILE, ca);
  for (const args of [
    ['create', 'user', 'ci'],
    ['create', 'project', 'web'],
    ['add', 'member', 'ci', '--project', 'web'],
    ['set', 'secret', 'deploy.token', '--project', 'web'],
  ]) {
    const { code, stderr } = await files.run(args, { env, input: 's3cret' });
    if (code !== 0) throw new Error(stderr);
  }
  const made = await files.run(['create', 'accesskey', 'web-ci', '--project', 'web'], { env });
  projectKey = made.stdout.trim();
  files.remove();
});
afterAll(async () => {
  await server?.remove();
  issuer?.stop();
});
beforeEach(() => {
  cli = platformCli();
});
afterEach(() => cli.remove());

interface Ended {
  readonly code: number;
  readonly output: string;
}

/**
 * Runs a script in a shell that finds platform, and whose npm fails: the script must not install what is already there.
 */
function sh(shell: string, script: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const { PATH = '', ...installed } = cli.installed();
  const stub = join(cli.home, 'stub');
  mkdirSync(stub, { recursive: true });
  writeFileSync(join(stub, 'npm'), '#!/bin/sh\nexit 9\n');
  chmodSync(join(stub, 'npm'), 0o755);
  const all = { ...installed, ...env, PATH: [stub, PATH].join(delimiter) };
  return new Promise((resolve) => {
    execFile(shell, ['-c', script], { env: all, cwd: cli.home, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr }),
    );
  });
}

const job = (): Promise<string> => issuer.token({ aud: AUDIENCE, sub: 'the job' });
const USE = 'platform run --secret deploy --project web -- sh -c \'echo "it is $token"\'';

describe('GitHub', () => {
  interface Action {
    readonly inputs: Record<string, { readonly default?: string }>;
    readonly runs: { readonly steps: readonly { run: string; env: Record<string, string> }[] };
  }
  const action = read<Action>('github/action.yml');
  let github: Server;
  let asked: string[];

  beforeAll(async () => {
    github = createServer((request, response) => {
      asked.push(`${request.headers.authorization ?? ''} ${request.url ?? ''}`);
      void job().then((value) => response.end(JSON.stringify({ value })));
    });
    github.listen(0, '127.0.0.1');
    await once(github, 'listening');
  });
  afterAll(() => void github.close());

  const steps = async (inputs: Record<string, string>): Promise<Ended> => {
    asked = [];
    const { port } = github.address() as AddressInfo;
    const runner = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner',
      RUNNER_TEMP: cli.home,
    };
    let ended: Ended = { code: 0, output: '' };
    for (const { run, env } of action.runs.steps) {
      const given = Object.entries(env).map(([name, value]) => {
        const input = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1] ?? '';
        return [name, inputs[input] ?? action.inputs[input]?.default ?? ''];
      });
      if (ended.code === 0) ended = await sh('bash', run, { ...runner, ...Object.fromEntries(given) });
    }
    return ended;
  };

  test('a job logs in with the token that it asks for, and reads a secret', async () => {
    expect(await steps({ server: server.url, audience: AUDIENCE, ca })).toMatchObject({ code: 0 });
    expect(asked).toEqual([`Bearer runner /token?api-version=2.0&audience=${encodeURIComponent(AUDIENCE)}`]);
    expect(await sh('bash', USE, {})).toEqual({ code: 0, output: 'it is s3cret\n' });
  });

  test('inputs run nothing, and the version is that of the release', async () => {
    const { code } = await steps({
      server: `${server.url}/$(touch ${cli.home}/run)"; touch ${cli.home}/run`,
      ca,
    });
    expect(code).not.toBe(0);
    expect((await sh('bash', `ls ${cli.home}/run`, {})).code).not.toBe(0);
    for (const { run } of action.runs.steps) expect(run).not.toContain('${{');
    expect(action.inputs.version?.default).toBe(SERVER_VERSION);
  });
});

test('GitLab: a job logs in with its ID token, and does not keep it', async () => {
  interface Job {
    readonly before_script: readonly string[];
    readonly variables: { readonly MANAGEMENT_VERSION: string };
    readonly id_tokens: unknown;
  }
  const { '.management-login': template } = read<Record<string, Job>>('gitlab.yml');
  expect(template?.variables.MANAGEMENT_VERSION).toBe(SERVER_VERSION);
  expect(template?.id_tokens).toEqual({ MANAGEMENT_ID_TOKEN: { aud: '$MANAGEMENT_AUDIENCE' } });
  const caFile = join(cli.home, 'ca.crt');
  writeFileSync(caFile, ca);
  const script = ['set -e', ...(template?.before_script ?? []), USE, 'echo "left: ${MANAGEMENT_ID_TOKEN-}"'];
  const token = await job();
  const env = { MANAGEMENT_URL: server.url, MANAGEMENT_CA: caFile, MANAGEMENT_ID_TOKEN: token };
  const { code, output } = await sh('sh', script.join('\n'), env);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/it is s3cret\nleft: \n/) });
  const refused = await sh('sh', script.join('\n'), { ...env, MANAGEMENT_ID_TOKEN: `${token}x` });
  expect(refused.code).toBe(3);
});

describe('the jobs of the tutorial, with a key of the project', () => {
  const page = readFileSync(join(CI, '../../docs/tutorials/pipeline-key.md'), 'utf8');
  const job = async (commands: readonly string[], more: Record<string, string>): Promise<Ended> => {
    writeFileSync(join(cli.home, 'deploy.sh'), '#!/bin/sh\necho "it is $token"\n', { mode: 0o755 });
    for (const command of commands.filter((one) => one.startsWith('npm ')))
      expect(command).toContain(
        `--ignore-scripts --no-audit --no-fund management-apiserver@${SERVER_VERSION}`,
      );
    const script = commands.filter((one) => !one.startsWith('npm '));
    const keyed = { PLATFORM_URL: server.url, PLATFORM_ACCESS_KEY: projectKey };
    return sh('sh', ['set -e', ...script].join('\n'), { ...keyed, ...more });
  };

  test('on GitHub only the step that deploys has it', async () => {
    interface Step {
      readonly run?: string;
      readonly env?: Readonly<Record<string, string>>;
    }
    const { jobs } = parse(fileOf(page, '.github/workflows/deploy.yml')) as {
      jobs: { deploy: { steps: readonly Step[] } };
    };
    const steps = jobs.deploy.steps.flatMap(({ run, env }) => (run === undefined ? [] : [{ run, env }]));
    expect(steps.map(({ env }) => env)).toEqual([
      undefined,
      {
        MANAGEMENT_CA: '${{ vars.MANAGEMENT_CA }}',
        PLATFORM_URL: '${{ secrets.PLATFORM_URL }}',
        PLATFORM_ACCESS_KEY: '${{ secrets.PLATFORM_ACCESS_KEY }}',
      },
    ]);
    const ended = await job(
      steps.map(({ run }) => run),
      { MANAGEMENT_CA: ca, RUNNER_TEMP: cli.home },
    );
    expect(ended).toEqual({ code: 0, output: 'it is s3cret\n' });
  });

  test('on GitLab variables are enough', async () => {
    const { deploy } = parse(fileOf(page, '.gitlab-ci.yml')) as {
      deploy: { before_script: readonly string[]; script: readonly string[] };
    };
    const file = join(cli.home, 'ca.crt');
    writeFileSync(file, ca);
    const ended = await job([...deploy.before_script, ...deploy.script], { PLATFORM_CA_FILE: file });
    expect(ended).toEqual({ code: 0, output: 'it is s3cret\n' });
  });
});

test('Tekton: a step runs a script with the entries of a secret', async () => {
  interface Task {
    readonly spec: {
      readonly params: readonly { readonly name: string }[];
      readonly steps: readonly { script: string; env: { name: string; value: string }[] }[];
    };
  }
  const { spec } = read<Task>('tekton-task.yaml');
  const [step] = spec.steps;
  const tokenFile = join(cli.home, 'token');
  writeFileSync(tokenFile, await job());
  const params: Record<string, string> = {
    server: server.url,
    project: 'web',
    secret: 'deploy',
    script: 'echo "it is $token"',
    ca,
  };
  const env = Object.fromEntries(
    (step?.env ?? []).map(({ name, value }) => {
      const param = /^\$\(params\.(\w+)\)$/.exec(value)?.[1];
      if (param !== undefined) expect(spec.params.map((one) => one.name)).toContain(param);
      return [name, param === undefined ? value : (params[param] ?? '')];
    }),
  );
  const { code, output } = await sh('sh', step?.script ?? '', {
    ...env,
    HOME: cli.home,
    TOKEN_FILE: tokenFile,
  });
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/it is s3cret\n/) });
  expect(step?.script).not.toContain('$(');
  const keys = await client(server).send('GET', '/apis/management.svc.example/v1/ownedaccesskeys');
  expect(keys.text).toContain('whose subject was the job');
});
