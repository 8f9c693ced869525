/** Somebody who follows a page of the docs: a server of theirs, a shell, and the programs that pages name. */
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { authorityOf } from '../fixtures/servers/authority.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { printedBy } from '../fixtures/program.js';
import {
  compiledServer,
  startServer,
  type ServerFixture,
  type ServerOptions,
} from '../fixtures/servers/server.js';
import { blocksOf, readPage, ROOT, shapeOf, stepsIn, type Block } from './page.js';

interface Printed {
  readonly status: number | null;
  readonly text: string;
}

export interface Reader {
  readonly server: ServerFixture;
  /** Where commands run, and their home; the server's state is in `data`, and its authority in `ca.crt`. */
  readonly home: string;
  /** Runs a part of a shell script to its end; the first command that fails ends it. */
  run(script: string): Promise<Printed>;
  remove(): Promise<void>;
}

/**
 * What stands in the place of a word of a page, such as an address or a name; a function is called just before the command
 * runs, with what was printed until then.
 */
type Words = Readonly<Record<string, string | ((printed: string) => string | Promise<string>)>>;

/** Helm, without a cluster: what it would install is rendered, and the values are judged by the chart's schema. */
const HELM = `#!/bin/bash
args=()
for arg in "\${@:2}"; do [[ $arg == --reset-then-reuse-values ]] || args+=("$arg"); done
case "$1" in install | upgrade) exec "$HELM" template "\${args[@]}" >/dev/null ;; *) exec "$HELM" "$@" ;; esac
`;
/** Starts a server, and ends it when it serves. */
const SERVING = `#!/bin/bash
coproc server { exec "$@"; }
while read -r line <&"\${server[0]}"; do
  if [[ $line == 'Serving on '* ]]; then kill "$server_PID"; cat <&"\${server[0]}" >/dev/null; exit; fi
done
exit 1
`;

export async function startReader(options: ServerOptions = {}): Promise<Reader> {
  const server = await startServer(options);
  const home = server.directory;
  writeFileSync(join(home, 'ca.crt'), authorityOf(server));
  for (const folder of ['deploy', 'hack']) symlinkSync(join(ROOT, folder), join(home, folder));
  const env = {
    PATH: `${installPrograms(home)}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    HELM: findProgram('helm') ?? 'helm',
    KUBECONFIG: server.kubeconfig,
    MANAGEMENT_APISERVER_ENCRYPTION_KEY_FILE: join(home, 'encryption.key'),
    MANAGEMENT_APISERVER_SECURE_PORT: '0',
    PLATFORM_KEYCHAIN: 'off',
  };
  return {
    server,
    home,
    run: (script) => runIn(home, env, script),
    remove: () => server.remove(),
  };
}

/** The test answers requests meanwhile. */
async function runIn(cwd: string, env: Readonly<Record<string, string>>, script: string): Promise<Printed> {
  const args = ['--norc', '-euo', 'pipefail', '-c', script];
  const child = spawn('bash', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  const { code: status, text } = await printedBy(child);
  return { status, text };
}

/** Answers the folder where a shell finds them. */
function installPrograms(home: string): string {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const install = (name: string, text: string): void => writeFileSync(join(bin, name), text, { mode: 0o755 });
  const programs = join(dirname(compiledServer()), '..');
  const start = (path: string): string => `#!/bin/sh\nexec '${process.execPath}' '${path}' "$@"\n`;
  install('management-apiserver', start(join(programs, 'apiserver/main.js')));
  install('platform', start(join(programs, 'platform/main.js')));
  install('age-keygen', start(join(ROOT, 'test/docs/agekeygen.mjs')));
  install('helm', HELM);
  install('serving', SERVING);
  symlinkSync(findProgram('kubectl') as string, join(bin, 'kubectl'));
  return bin;
}

export interface Followed {
  readonly words?: Words;
  /** Only blocks of this language. */
  readonly language?: string;
  /** In place of the page's blocks: those that are said inside its sentences and tables, one command each. */
  readonly inline?: RegExp;
}

/**
 * Runs the commands of a page, in its order, in one shell for each block of a script and each command of a console. Each ends
 * with 0 and prints what the page says.
 */
export async function follow(reader: Reader, path: string, options: Followed = {}): Promise<void> {
  const { words = {}, language, inline } = options;
  const page = readPage(path);
  const unused = new Set(Object.keys(words));
  let all = '';
  const replaced = async (text: string): Promise<string> => {
    let result = text;
    for (const [word, by] of Object.entries(words)) {
      if (!result.includes(word)) continue;
      unused.delete(word);
      const value = typeof by === 'string' ? by : await by(all);
      result = result.replaceAll(word, () => value);
    }
    return result;
  };
  const blocks = inline === undefined ? blocksOf(page) : spansOf(page, inline);
  for (const block of blocks.filter((one) => language === undefined || one.language === language))
    for (const { command, output } of inOneShell(block)) {
      const script = await replaced(command);
      const expected = output === undefined ? undefined : await replaced(output);
      const { status, text } = await reader.run(script);
      expect({ command, status, text }).toEqual({
        command,
        status: 0,
        text: expected === undefined ? text : expect.stringMatching(shapeOf(expected)),
      });
      all += text;
    }
  expect([...unused]).toEqual([]);
}

function inOneShell(block: Block): readonly { command: string; output?: string }[] {
  const steps = stepsIn(block);
  if (block.language === 'console' || steps.length === 0) return steps;
  return [{ command: steps.map(({ command }) => command).join('\n') }];
}

function spansOf(page: string, pattern: RegExp): Block[] {
  return page.split('\n').flatMap((text, at) =>
    [...text.matchAll(/`([^`]+)`/g)]
      .map(([, span = '']) => span)
      .filter((span) => pattern.test(span))
      .map((span) => ({ language: 'sh', text: `${span}\n`, line: at + 1 })),
  );
}
