// What surrounds the tests: a home, a working directory and a kubeconfig that no program can read, as those of a developer may
// hold anything. A test that reads one of them fails, and one that writes there is found.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { STATE_OF_ROOT, unreadable } from './leftovers.mjs';

const UNREADABLE = unreadable(process.pid);

/** Files that programs of this project, and kubectl, read by default. */
const IN_HOME = [
  '.kube/config',
  '.config/platform/config.json',
  '.config/management-apiserver/encryption.key',
  '.local/state/management-apiserver/store',
  '.local/state/management-apiserver/admin.kubeconfig',
];
/** What `make run`, and who tries things in a checkout, leave there. */
const IN_CHECKOUT = ['data/store', 'data/admin.kubeconfig', 'kubeconfig', 'config.yaml', '.env'];
/** Of `STATE_OF_ROOT`. */
const FILES_OF_ROOT = ['store', 'admin.kubeconfig'];

/** Caches that take minutes to fill again, and settings without which there is no registry: by the real home. */
const KEPT = {
  CARGO_HOME: '.cargo',
  GOCACHE: '.cache/go-build',
  GOPATH: 'go',
  npm_config_cache: '.npm',
  npm_config_userconfig: '.npmrc',
  RUSTUP_HOME: '.rustup',
};
/** Variables that programs of this project read. */
const TAKEN_OUT = /^(MANAGEMENT_APISERVER|MANAGEMENT_AGENT|PLATFORM|XDG)_/;

function plant(folder, files) {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), UNREADABLE);
  }
}

/** What was planted in `folder` and is changed or gone, and what lies beside it since. */
function changed(folder, files) {
  const expected = new Set(files.flatMap((file) => [file, ...ancestorsOf(file)]));
  const parents = [...new Set(files.map(dirname))].filter((parent) => existsSync(join(folder, parent)));
  const present = parents.flatMap((parent) =>
    readdirSync(join(folder, parent)).map((name) => join(parent, name)),
  );
  const isPlanted = (file) =>
    existsSync(join(folder, file)) && readFileSync(join(folder, file), 'utf8') === UNREADABLE;
  const wrong = [
    ...present.filter((path) => !expected.has(path)),
    ...files.filter((file) => !isPlanted(file)),
  ];
  return wrong.map((path) => join(folder, path));
}

const ancestorsOf = (file) => {
  const parent = dirname(file);
  return parent === '.' ? [] : [parent, ...ancestorsOf(parent)];
};

/**
 * `env` for the tests, which find their working directory in it (hack/workingdirectory.mjs); `touched()` lists what a test has written there since; `remove()` takes all of it away.
 * @param {NodeJS.ProcessEnv} [own] the variables of this process
 */
export function plantSurroundings(own = process.env) {
  const folder = mkdtempSync(join(tmpdir(), 'surroundings-'));
  const home = join(folder, 'home');
  const cwd = join(folder, 'checkout');
  const places = [
    [home, IN_HOME],
    [cwd, IN_CHECKOUT],
  ];
  const ofRoot = own.CI === 'true' && process.getuid?.() === 0 && !existsSync(STATE_OF_ROOT);
  if (ofRoot) places.push([STATE_OF_ROOT, FILES_OF_ROOT]);
  for (const [place, files] of places) plant(place, files);
  const kept = Object.entries(KEPT).map(([name, path]) => [name, own[name] ?? join(homedir(), path)]);
  const takenOut = Object.keys(own).filter((name) => TAKEN_OUT.test(name));
  return {
    env: {
      ...Object.fromEntries(takenOut.map((name) => [name, undefined])),
      ...Object.fromEntries(kept),
      HOME: home,
      TEST_CWD: cwd,
      KUBECONFIG: join(cwd, 'data/admin.kubeconfig'),
    },
    touched: () => places.flatMap(([place, files]) => changed(place, files)),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
      if (ofRoot) rmSync(STATE_OF_ROOT, { recursive: true, force: true });
    },
  };
}
