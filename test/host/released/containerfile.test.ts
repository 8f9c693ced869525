/** The container file: its instructions, and the result of its steps, which run as in a container. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../hack/bench/processes.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { noContainers, startContainer } from '../../fixtures/host/container.js';
import {
  buildImage,
  containerfile,
  ROOT,
  type Image,
  type Step,
} from '../../fixtures/host/containerimage.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

describe('the container file', () => {
  const steps = containerfile();
  const of = (keyword: string): Step[] => steps.filter((step) => step.keyword === keyword);
  const last = steps.slice(steps.findLastIndex(({ keyword }) => keyword === 'FROM'));

  test('pins every base by its digest', () => {
    expect(of('FROM').length).toBeGreaterThan(1);
    for (const { args } of of('FROM'))
      expect(args[0]).toMatch(/^[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}$/);
  });

  test('has the Node of a release in every base', () => {
    for (const { args } of of('FROM')) expect(args[0]).toMatch(/\/(node:24-|nodejs24-)/);
  });

  test('ends as a user with a number, who is not root, and runs nothing in the last stage', () => {
    expect(last.filter(({ keyword }) => keyword === 'USER').at(-1)?.args[0]).toMatch(/^[1-9]\d+:[1-9]\d+$/);
    expect(last.filter(({ keyword }) => keyword === 'RUN' || keyword === 'ADD')).toEqual([]);
    expect(last.filter(({ keyword }) => keyword === 'ENTRYPOINT').map(({ json }) => json.length)).toEqual([
      2,
    ]);
  });

  test('is given what it copies, and nothing else', () => {
    const copied = of('COPY').filter(({ flags }) => flags.from === undefined);
    const sources = new Set(copied.flatMap(({ args }) => args.slice(0, -1)));
    const lines = readFileSync(join(ROOT, '.containerignore'), 'utf8').split('\n');
    const given = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect([...sources].sort()).toEqual(given.sort());
    expect(lines).toContain('*');
    expect([...sources].filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
    expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8')).toBe(lines.join('\n'));
  });

  test('has the versions of the server and of its chart', () => {
    const [label] = of('LABEL');
    expect(label?.variables['org.opencontainers.image.version']).toBe(SERVER_VERSION);
    const chart = readFileSync(join(ROOT, 'deploy/helm/Chart.yaml'), 'utf8');
    expect(chart).toContain(`appVersion: ${SERVER_VERSION}\n`);
  });
});

const hindrance = noContainers();
if (hindrance !== undefined) console.warn(`the image's process is NOT RUN: ${hindrance}`);
(hindrance === undefined ? describe : describe.skip)('what the container file makes', () => {
  let image: Image;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'container-'));
    image = await buildImage();
  });
  afterAll(() => {
    image?.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  test('has production dependencies alone, and no sources, tests or maps', () => {
    const files = readdirSync(join(image.root, 'app'), { recursive: true }) as string[];
    const own = files.filter((name) => name.startsWith('dist/'));
    expect(own.filter((name) => /\.(ts|map)$|\.test\./.test(name))).toEqual([]);
    expect(own.length).toBeGreaterThan(300);
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const packages = readdirSync(join(image.root, 'app/node_modules'));
    expect(Object.keys(devDependencies).filter((name) => packages.includes(name))).toEqual([]);
  });

  test('says what it is', async () => {
    const version = startContainer(image, { args: ['--version'] });
    expect([await version.ended, version.log()]).toEqual([0, `${SERVER_VERSION}\n`]);
    const help = startContainer(image, { args: ['--help'] });
    expect(await help.ended).toBe(0);
    expect(help.log()).toContain('--etcd-servers');
  });

  test('serves as another user than root on a read-only file system', async () => {
    const port = await freePort();
    const [data, keys] = [join(directory, 'data'), join(directory, 'keys')];
    for (const path of [data, keys]) mkdirSync(path);
    const container = startContainer(image, {
      args: [`--secure-port=${port}`, '--data-dir=/data', '--encryption-key-file=/keys/encryption.key'],
      mounts: [
        { path: '/data', from: data, readOnly: false },
        { path: '/keys', from: keys, readOnly: false },
      ],
    });
    const ready = async (): Promise<boolean> => {
      const answer = await fetchFrom(`https://127.0.0.1:${port}/readyz`, { token: '' }).catch(
        () => undefined,
      );
      return answer?.status === 200;
    };
    await eventually('it is ready', ready).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${container.log()}`);
    });
    expect(await container.stop()).toBe(0);
  });

  test('cannot write anywhere else', async () => {
    const container = startContainer(image, { args: ['--data-dir=/app/data'] });
    expect(await container.ended).toBe(1);
    expect(existsSync(join(image.root, 'app/data'))).toBe(false);
  });
});
