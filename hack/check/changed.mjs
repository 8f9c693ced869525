// Which files differ from main: in commits since the branch left it, uncommitted, and untracked.
import { spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';

/** What changes are counted from, the first that is there. On main itself this is what the upstream does not have yet. */
const BASES = ['origin/main', 'main'];

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 64 << 20 });
  return { ok: status === 0, text: stdout.trimEnd(), why: stderr.trim() };
}

/** `files`: paths from the root of the checkout, sorted, without links and deleted ones; `since`: what they are compared with. */
export function changedFiles() {
  const branch = BASES.find((name) => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).ok);
  const shared = branch === undefined ? undefined : git('merge-base', branch, 'HEAD');
  const base = shared?.ok ? shared.text : 'HEAD';
  const names = [
    git('diff', '--name-only', '--no-renames', '--diff-filter=d', '-z', base),
    git('ls-files', '--others', '--exclude-standard', '-z'),
  ].flatMap(({ ok, text, why }) => {
    if (!ok) throw new Error(`check: git cannot say what has changed: ${why}`);
    return text.split('\0').filter((name) => name !== '');
  });
  const files = [...new Set(names)].filter((name) => lstatSync(name).isFile()).sort();
  return { files, since: shared?.ok ? branch : 'the last commit' };
}
