/** docs/troubleshooting.md has every check of the doctor, and quotes messages that there are. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { API } from './api.js';
import { directChecks } from './direct.js';
import { WAY } from './way.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PAGE = readFileSync(`${ROOT}docs/troubleshooting.md`, 'utf8');

/** The first cells of the table below a heading. */
function firstCells(heading: string): string[] {
  const [part = ''] = (PAGE.split(`## ${heading}\n`)[1] ?? '').split('\n## ');
  const cells = [...part.matchAll(/^\| ([^|]*) \|/gm)].map(([, cell = '']) => cell);
  return cells.slice(1).flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted));
}

const sources = (folder: string): string =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(`${ROOT}${folder}/${name}`, 'utf8'))
    .join('\n');

test('has every check, in order', () => {
  const instance = { kind: 'space', project: 'web', name: 'staging' } as const;
  const direct = directChecks({ env: {} } as never, instance);
  const checks = ['login', ...[...WAY, ...API, ...direct].map(({ check }) => check)];
  expect(firstCells('Start with `platform doctor`')).toEqual(checks);
});

test('quotes messages of the program', () => {
  const code = ['cmd/apiserver', 'cmd/chart', 'pkg/apimachinery', 'pkg/management/upkeep', 'pkg/storage']
    .map(sources)
    .join('\n');
  const quoted = firstCells('The server does not start');
  const parts = quoted.flatMap((message) => message.split(/[\s:]*…[\s:]*/)).filter((part) => part.length > 5);
  expect(quoted.length).toBeGreaterThan(4);
  expect(parts.filter((part) => !code.includes(part))).toEqual([]);
});
