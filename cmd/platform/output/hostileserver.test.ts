/** A server that answers with commands for terminals: they reach none, by any verb, in any form. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { platformCli, type PlatformCli, type Run } from '../../../test/fixtures/clients/platformcli.js';
import { startStub, type StubServer } from '../../../test/fixtures/stubs/stubserver.js';
import { messageOf } from '../failure.js';
import { platform } from '../program.js';
import { printable } from './printable.js';
import { processTerminal } from './terminal.js';

/** Each group alone, as YAML needs other quotes for each; then all. */
const GROUPS = [
  ['\u001b]0;owned\u0007', '\u001b[2J', '\r', '\b', '\u0000', '\u000b', '\u000c'].join(''),
  ['\u007f', '\u009b31m', '\u009d0;x\u009c', '\u0090', '\u0085'].join(''),
  ['\u202e', '\u2066', '\u200f', '\u061c', '\u2028', '\u2029'].join(''),
];
const SIGNS = [...GROUPS, '\u001b[2J', '\u202e', GROUPS.join('')];
const ALL = SIGNS.length - 1;
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

let stub: StubServer;
let cli: PlatformCli;
let directory: string;

/** `/<what>/<index of a sign>` begins the path of every request. */
beforeAll(async () => {
  stub = await startStub((request, response) => {
    const [, what, index, ...path] = (request.url ?? '').split('/');
    const sign = SIGNS[Number(index)] ?? '';
    const evil = `${sign}evil${sign}`;
    response.setHeader('warning', '299 - "\u009b2J\\"evil\\""');
    if (what === 'text') return void response.writeHead(500, { 'content-type': 'text/html' }).end(evil);
    const isTable = request.headers.accept?.includes('as=Table') === true;
    const body =
      what === 'refuse' ? { message: evil, reason: evil } : answerTo(path.join('/'), isTable, evil);
    response.writeHead(what === 'refuse' ? 403 : 200).end(JSON.stringify(body));
  });
  cli = platformCli();
  directory = mkdtempSync(join(tmpdir(), 'hostile-server-'));
});
afterAll(async () => {
  await stub.stop();
  cli.remove();
  rmSync(directory, { recursive: true });
});
afterEach(() => void jest.restoreAllMocks());

function answerTo(path: string, isTable: boolean, evil: string): object {
  if (path === 'version') return { gitVersion: evil };
  if (isTable)
    return {
      kind: 'Table',
      columnDefinitions: [{ name: evil, type: 'string', priority: 0 }],
      rows: [{ cells: [evil] }, { cells: [{ [evil]: evil }] }],
    };
  const data = { k: Buffer.from(evil).toString('base64'), [evil]: Buffer.from(evil).toString('base64') };
  const kubeConfig = JSON.stringify({
    clusters: [{ cluster: { server: evil } }],
    users: [{ user: { 'client-certificate-data': evil, 'client-key-data': evil } }],
  });
  const object = {
    kind: evil,
    metadata: { name: evil, namespace: evil, annotations: { [evil]: evil } },
    spec: {
      data,
      key: evil,
      user: evil,
      clusterRef: { cluster: evil, namespace: evil },
      members: [{ kind: evil, name: evil, clusterRole: evil }],
      allowedClusters: [{ name: evil }],
      quotas: { objects: { [evil]: evil } },
      [evil]: [evil],
    },
    status: {
      token: evil,
      kubeConfig,
      user: { name: evil },
      team: { name: evil },
      accessKey: evil,
      groups: [evil],
      conditions: [{ type: evil, status: evil, message: evil }],
      ways: [{ steps: [{ kind: evil, namespace: evil, name: evil, verbs: [evil] }], uncertain: true }],
      unread: [evil],
      log: 'File',
      server: evil,
      events: [{ user: { username: evil }, verb: evil, requestURI: evil, auditID: evil, sourceIPs: [evil] }],
    },
  };
  return { ...object, items: [object] };
}

function kubeconfigFor(what: string, index: number): string {
  const path = join(directory, `${what}-${index}`);
  const server = `${stub.url}/${what}/${index}`;
  const authority = Buffer.from(stub.authority).toString('base64');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token: 't' } }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const NOUNS = ['secret', 'accesskey', 'project', 'space', 'vcluster', 'cluster'];
const inProject = (noun: string): string => (['space', 'vcluster'].includes(noun) ? ' --project p' : '');
const withFormats = (command: string, formats: readonly string[]): string[] => [
  command,
  ...formats.map((format) => `${command} -o ${format}`),
];
const OBJECT = ['json', 'yaml'];

const COMMAND_LINES: readonly string[] = [
  'version',
  ...withFormats('whoami', OBJECT),
  ...withFormats('doctor', OBJECT),
  ...NOUNS.flatMap((noun) => withFormats(`list ${noun}${inProject(noun)}`, ['wide', 'json', 'yaml', 'name'])),
  'list secret --project p',
  ...NOUNS.filter((noun) => noun !== 'secret').flatMap((noun) =>
    withFormats(`get ${noun} x${inProject(noun)}`, ['json', 'yaml', 'jsonpath={.metadata.name}']),
  ),
  'get secret x -o jsonpath={.metadata.name}',
  'list space -A -o name',
  ...withFormats('list secret -A', ['json', 'name']),
  ...['project', 'space'].flatMap((noun) =>
    withFormats(`create ${noun} x${inProject(noun)}`, ['json', 'yaml', 'name']),
  ),
  ...withFormats('create accesskey x', ['json', 'yaml']),
  ...withFormats('create accesskey', ['env']),
  ...withFormats('rotate accesskey x', ['env', 'json', 'yaml']),
  'create cluster x --secret s',
  'disable accesskey x',
  'enable accesskey x',
  ...withFormats('get secret x', OBJECT),
  ...withFormats('get secret x --entry k', [...OBJECT, 'raw', 'env']),
  'get secret x.k',
  'get secret x --entry missing',
  'get secret x --entry k --project p',
  'set secret x value --entry k',
  'set secret x value --entry k --project p',
  'share secret x --user u',
  ...NOUNS.map((noun) => `delete ${noun} x --yes${inProject(noun)}`),
  'kubeconfig vcluster x --project p',
  'kubeconfig vcluster x',
  'token',
  'token --raw',
  'token --direct-cluster-endpoint --cluster c',
  'token --direct-cluster-endpoint --cluster c --raw',
  'token --virtual-cluster p/x',
  'move space x --from p --to q',
  ...withFormats('who-can get secret x', OBJECT),
  ...withFormats('audit', ['wide', ...OBJECT]),
  ...['member', 'allowedcluster', 'quota'].flatMap((part) =>
    withFormats(`list ${part} --project p`, [...OBJECT, 'name']),
  ),
  'import vcluster x --cluster c --namespace n --project p',
  'use space x --project p --file /dev/null/no',
  'use vcluster x --project p --file /dev/null/no',
];

interface Shown {
  readonly out: string;
  readonly told: string;
}

/** The output on the terminal, or in the file that output goes to. */
async function shownOf(line: string, what: string, index: number, shown = true): Promise<Shown> {
  let out = '';
  let told = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
  const argv = ['--debug', '--kubeconfig', kubeconfigFor(what, index), ...line.split(' ')];
  try {
    await platform({
      argv,
      env: { ...cli.env, XDG_CACHE_HOME: join(directory, `${what}-${index}-cache`) },
      terminal: { ...processTerminal, interactive: false, shown },
      write: (bytes) => (out += bytes.toString()),
    });
  } catch (error) {
    // As main.ts tells of it.
    told += printable(messageOf(error));
  }
  return { out, told };
}

describe.each(['answer', 'refuse', 'text'])('a server whose every %s is hostile', (what) => {
  test.each(COMMAND_LINES)('platform %s', async (line) => {
    for (const index of what === 'answer' ? [...GROUPS.keys(), ALL] : [ALL]) {
      const { out, told } = await shownOf(line, what, index);
      expect(told + out).not.toBe('');
      expect(out).not.toMatch(COMMANDS);
      expect(told).not.toMatch(COMMANDS);
    }
  });
});

test('is heard: each verb shows what it answered', async () => {
  const silent: string[] = [];
  for (const line of COMMAND_LINES) {
    const { out, told } = await shownOf(line, 'answer', 4, false);
    if (!`${out}${told}`.includes('evil')) silent.push(line);
  }
  // These repeat the request.
  expect(silent.filter((line) => !/^(create cluster|enable|disable|set|share|delete|move|import|token)/.test(line))).toEqual([]); // oxfmt-ignore
});

test.each([
  ['get secret x --entry k', '\u001b[2Jevil\u001b[2J'],
  ['get secret x --entry k -o raw', '\u001b[2Jevil\u001b[2J'],
  ['get secret x --entry k -o env', "k='\u001b[2Jevil\u001b[2J'\n"],
])('%s sends the bytes as they are to a file', async (line, bytes) => {
  expect((await shownOf(line, 'answer', 3, false)).out).toBe(bytes);
});

test.each(OBJECT)('%s has the values, encoded', async (format) => {
  const { out } = await shownOf(`get secret x -o ${format}`, 'answer', 4, false);
  expect(out).toContain('\\u202eevil\\u202e');
  if (format === 'json') expect((JSON.parse(out) as { kind: string }).kind).toBe('\u202eevil\u202e');
});

test.each([['version'], ['list', 'secrets'], ['list', 'secrets', '-o', 'name'], ['whoami']])(
  'the program, %s %s %s %s',
  async (...args) => {
    for (const what of ['answer', 'refuse']) {
      const given = ['--kubeconfig', kubeconfigFor(what, ALL), ...args];
      const { stdout, stderr }: Run = await cli.execute(given);
      expect(stdout + stderr).toContain('evil');
      expect(stdout).not.toMatch(COMMANDS);
      expect(stderr).not.toMatch(COMMANDS);
    }
  },
);
