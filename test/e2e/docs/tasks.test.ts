/** The tasks of docs/contributing/tasks.md, each by the console alone and by `platform` alone; what they take is what the page says. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import {
  launchChromium,
  neededChromium,
  openPerson,
  picture,
  visit,
} from '../../fixtures/console/chromium.js';
import { object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';
import { Hand } from '../../fixtures/console/hand.js';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { execute } from '../../fixtures/program.js';
import { findProgram } from '../../fixtures/stores/etcd.js';

const PAGE = readFileSync(
  fileURLToPath(new URL('../../../docs/contributing/tasks.md', import.meta.url)),
  'utf8',
);

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A task in the console, from its home on. */
type ByHand = (hand: Hand) => Promise<void>;

(neededChromium() ? describe : describe.skip)('what tasks take', () => {
  let on: ConsoleStage;
  /** Acts as the cluster that is connected. */
  let cluster: ServerFixture;
  let cli: PlatformCli;
  let browser: Browser;

  beforeAll(async () => {
    [on, cluster] = await Promise.all([
      stageConsole(() => startEmbedded({ controllers: '*' })),
      startServer({ controllers: 'namespace-controller' }),
    ]);
    browser = await launchChromium();
    cli = platformCli();
    writeFileSync(join(cli.home, 'ca.crt'), authorityOf(on.server));
  });
  afterAll(async () => {
    cli?.remove();
    await browser?.close();
    await on?.remove();
    await cluster?.remove();
  });

  /** What the page says of a task. */
  function told(task: string): { readonly console: string; readonly commands: readonly string[] } {
    const row = PAGE.split('\n').find((line) => line.startsWith(`| ${task} |`)) ?? '';
    const [, , console = '', commands = ''] = row.split('|').map((cell) => cell.trim());
    return {
      console: console.replace(/ ·.*$/, ''),
      commands: [...commands.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line),
    };
  }

  async function byConsole(task: string, work: ByHand, person = 'ruth'): Promise<void> {
    const { page } = await on.logIn(person);
    await visit(page, '/console/');
    const hand = new Hand(page);
    const began = performance.now();
    await work(hand);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    await picture(page, `task-${task.replaceAll(/\W+/g, '-')}`);
    console.info(`${task}: console ${hand.counted()}, ${seconds} s`);
    expect(hand.counted()).toBe(told(task).console);
  }

  /** Of the person that ran `platform use`. */
  const kubectl = (words: readonly string[], env: Record<string, string>): Ran => {
    const config = { ...cli.installed(), ...env, KUBECONFIG: join(cli.home, '.kube', 'config') };
    const { code, out, err } = execute(findProgram('kubectl') ?? '', [...words], { env: config });
    return { code, stdout: out, stderr: err };
  };

  /** Runs the commands of the page. */
  async function byCommands(task: string, input = '', person = 'ruth'): Promise<string> {
    const { commands } = told(task);
    expect(commands).not.toEqual([]);
    const env = {
      PLATFORM_URL: on.server.url,
      PLATFORM_ACCESS_KEY: on.keyOf[person] ?? '',
      PLATFORM_CA_FILE: join(cli.home, 'ca.crt'),
    };
    let printed = '';
    const began = performance.now();
    for (const line of commands) {
      const [program, ...words] = line
        .split(' ')
        .map((word) => (word === 'docks.kubeconfig' ? cluster.kubeconfig : word));
      const { code, stdout, stderr } =
        program === 'kubectl' ? kubectl(words, env) : await cli.execute(words, { env, input });
      expect([line, code, stderr]).toEqual([line, 0, expect.any(String)]);
      printed += stdout + stderr;
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.info(`${task}: platform ${commands.length} commands, ${seconds} s`);
    return printed;
  }

  test('to log in for the first time', async () => {
    const task = 'Log in for the first time';
    const { page } = await openPerson(browser, on.server);
    await page.goto('/console/');
    const hand = new Hand(page);
    await hand.type('Access key', on.keyOf.ruth ?? '');
    await hand.press('button', 'Log in');
    await page.getByRole('heading', { name: 'Hello, ruth' }).waitFor();
    expect(hand.counted()).toBe(told(task).console);
    const [line = ''] = told(task).commands;
    const words = line.replace('https://management.example.com', on.server.url).split(' ').slice(1);
    const ca = ['--ca-file', join(cli.home, 'ca.crt')];
    expect(await cli.run([...words, ...ca], { input: on.keyOf.ruth ?? '' })).toMatchObject({ code: 0 });
  });

  test('to invite a person', async () => {
    const task = 'Invite a person';
    await byConsole(task, async (hand) => {
      await hand.press('link', 'Users');
      await hand.press('button', 'New user');
      await hand.type('Name', 'dora');
      await hand.press('button', 'Create');
      await hand.press('button', 'Copy Link');
    });
    expect(await byCommands(task)).toContain('#invitation=');
  });

  test('to create a secret and share it', async () => {
    const task = 'Create a secret and share it';
    await byConsole(task, async (hand) => {
      await hand.press('button', 'New secret');
      await hand.type('Name', 'stripe');
      await hand.type('Entry', 'token');
      await hand.type('Value', 's3cret');
      await hand.name('Users', 'bob');
      await hand.press('button', 'Create');
      await hand.page.getByRole('heading', { level: 1, name: 'stripe' }).waitFor();
    });
    await byCommands(task, 's3cret');
  });

  test('to create a project with a quota', async () => {
    const task = 'Create a project with a quota';
    await byConsole(task, async (hand) => {
      await hand.press('link', 'Projects');
      await hand.press('button', 'New project');
      await hand.type('Name', 'store');
      await hand.type('Spaces and virtual clusters at most', '3');
      await hand.press('button', 'Create');
      await hand.page.getByText('0 of 3').waitFor();
    });
    await byCommands(task);
  });

  test('to make a key of a project for a pipeline', async () => {
    const task = 'Make a key of a project for a pipeline';
    await byConsole(task, async (hand) => {
      await hand.press('link', 'Projects');
      await hand.press('link', 'web');
      await hand.press('button', 'New access key');
      await hand.press('button', 'Create');
      await hand.press('button', 'Copy Access key');
    });
    expect(await byCommands(task)).toContain('PLATFORM_ACCESS_KEY=');
  });

  test('to see who can read a secret', async () => {
    const task = 'See who can read a secret';
    await byConsole(task, async (hand) => {
      await hand.press('link', 'Secrets');
      await hand.press('link', 'database');
      await hand.press('link', 'Who can?');
      await hand.page.locator('#ways li').first().waitFor();
    });
    expect(await byCommands(task)).toMatch(/^User ada/m);
  });

  test('to see what a person can reach', async () => {
    const task = 'See what a person can reach';
    await byConsole(task, async (hand) => {
      await hand.press('link', 'Users');
      await hand.press('link', 'ada');
      const found = hand.page.getByRole('region', { name: 'What ada can read' });
      await found.getByRole('link', { name: 'database', exact: true }).first().waitFor();
    });
    expect(await byCommands(task)).toMatch(/^sharedsecrets +default +database +Owner/m);
  });

  test('to connect a cluster, and to use a space in it', async () => {
    const connect = 'Connect a cluster';
    await byConsole(connect, async (hand) => {
      await hand.press('button', 'Connect a cluster');
      await hand.type('Name', 'north');
      await hand.page.getByText('platform connect cluster north').first().waitFor();
    });
    expect(await byCommands(connect)).toContain('Connected');
    const space = 'Have a space, and use it';
    // A member like any other.
    const members = [{ kind: 'User', name: 'bob', clusterRole: 'management-project-user' }];
    const yard = { members, allowedClusters: [{ name: 'docks' }] };
    expect((await on.send('/projects', object('Project', { name: 'yard' }, yard))).status).toBe(201);
    const byBob: ByHand = async (hand) => {
      await hand.press('link', 'Spaces');
      await hand.press('button', 'New space');
      await hand.choose('Project', 'yard');
      await hand.type('Name', 'preview');
      await hand.press('button', 'Create');
      await hand.page.getByText('It can be used.').waitFor();
      await hand.page.getByText('platform use space preview --project yard').first().waitFor();
    };
    await byConsole(space, byBob, 'bob');
    expect(await byCommands(space, '', 'bob')).toMatch(
      /is ready[^]*kube-root-ca.crt|is ready[^]*No resources found/,
    );
  });
});
