// When each page was changed last, by the history of the repository. `node lastchanges.mjs FILE` writes it there, if it is not there already.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Milliseconds since 1970 by the path of a page's file, such as `docs/quickstart.md`. A folder without Git, or whose history was cut off,
 * does not know any.
 */
export function lastChanges(root) {
  const changes = {};
  let at = 0;
  for (const line of history(root).split('\n')) {
    if (line.startsWith('@')) at = Number(line.slice(1)) * 1000;
    else if (line !== '') changes[line] ??= at;
  }
  return changes;
}

function history(root) {
  const git = (...args) =>
    execFileSync('git', ['-c', 'core.quotePath=false', ...args], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    if (git('rev-parse', '--is-shallow-repository').trim() === 'true') return '';
    return git('log', '--format=@%ct', '--name-only', '--no-renames', '--', '*.md');
  } catch {
    return '';
  }
}

const [, program, file] = process.argv;
if (program === import.meta.filename) {
  const changes = JSON.stringify(lastChanges(process.cwd()));
  if (!existsSync(file) || readFileSync(file, 'utf8') !== changes) writeFileSync(file, changes);
}
