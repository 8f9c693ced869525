import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Contents, readContents, sha256 } from './contents.js';
import { unpackSomewhere, type Unpacked } from './places.js';

const FILES = { 'dist/main.js': 'main', 'dist/other.js': 'other', 'node_modules/a/a.node': 'native' };
const SOMEBODY = 12_345;
const root = process.geteuid?.() === 0;

let folder: string;
let ends: (() => void)[];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'places-')));
  ends = [];
});
afterEach(() => {
  for (const end of ends) end();
  rmSync(folder, { recursive: true, force: true });
});

const contents = contentsOf(FILES);
const cache = (): string => join(folder, 'cache');
const home = (): string => join(cache(), 'tool', contents.digest);
const start = (argv: readonly string[] = [], of = contents, temporary = tmpdir()): Unpacked =>
  unpackSomewhere(of, {
    env: { XDG_CACHE_HOME: cache() },
    argv,
    temporary,
    atExit: (remove) => ends.push(remove),
  });

describe('the first start', () => {
  test('unpacks every file, for this user alone', () => {
    expect(start(['list'])).toEqual({ main: join(home(), 'dist/main.js'), argv: ['list'] });
    for (const [path, text] of Object.entries(FILES)) {
      expect(readFileSync(join(home(), path), 'utf8')).toBe(text);
      expect(statSync(join(home(), path)).mode & 0o077).toBe(0);
    }
    for (const path of [cache(), dirname(home()), home()]) expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(home()))).toEqual([contents.digest]);
  });

  test('uses the folder that systemd gives a service before that of the user', () => {
    const service = join(folder, 'service');
    const env = { CACHE_DIRECTORY: `${service}:/other`, XDG_CACHE_HOME: cache() };
    const { main } = unpackSomewhere(contents, {
      env,
      argv: [],
      temporary: tmpdir(),
      atExit: () => undefined,
    });
    expect(main).toBe(join(service, 'tool', contents.digest, 'dist/main.js'));
  });
});

describe('a later start', () => {
  test('writes nothing', () => {
    start();
    const before = statSync(home()).ino;
    start();
    expect(statSync(home()).ino).toBe(before);
  });

  test('of another version leaves the files of the first', () => {
    start();
    const other = contentsOf({ ...FILES, 'dist/main.js': 'newer' });
    expect(readFileSync(start([], other).main, 'utf8')).toBe('newer');
    expect(readdirSync(dirname(home())).sort()).toEqual([contents.digest, other.digest].sort());
  });

  const damages: [string, () => void][] = [
    ['with other bytes', () => writeFileSync(join(home(), 'dist/other.js'), 'evil!')],
    ['that is missing', () => rmSync(join(home(), 'dist/other.js'))],
    ['that others can write', () => chmodSync(join(home(), 'dist/other.js'), 0o666)],
    ['that was added', () => writeFileSync(join(home(), 'dist/added.js'), '')],
    [
      'that is a link',
      () => {
        rmSync(join(home(), 'dist/other.js'));
        writeFileSync(join(folder, 'same'), FILES['dist/other.js'], { mode: 0o600 });
        symlinkSync(join(folder, 'same'), join(home(), 'dist/other.js'));
      },
    ],
  ];
  test.each(damages)('replaces a folder with a file %s', (_what, damage) => {
    start();
    damage();
    const { main } = start();
    expect(main).toBe(join(home(), 'dist/main.js'));
    expect(readdirSync(join(home(), 'dist')).sort()).toEqual(['main.js', 'other.js']);
    expect(readFileSync(join(home(), 'dist/other.js'), 'utf8')).toBe('other');
    expect(statSync(join(home(), 'dist/other.js')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(home()))).toEqual([contents.digest]);
  });
});

describe('a place that will not do', () => {
  const temporary = (): string => {
    const { main } = start();
    expect(main.startsWith(join(realpathSync(tmpdir()), 'tool-'))).toBe(true);
    return dirname(dirname(dirname(main)));
  };

  test('is a file: the files are temporary, and removed at the end', () => {
    writeFileSync(cache(), '');
    const place = temporary();
    expect(statSync(place).mode & 0o777).toBe(0o700);
    for (const end of ends.splice(0)) end();
    expect(existsSync(place)).toBe(false);
  });

  test('is below a folder that others can write to', () => {
    mkdirSync(join(cache(), 'tool'), { recursive: true });
    chmodSync(cache(), 0o777);
    temporary();
    expect(readdirSync(join(cache(), 'tool'))).toEqual([]);
  });

  (root ? test : test.skip)('is the folder of another user: root creates nothing there', () => {
    mkdirSync(cache());
    chownSync(cache(), SOMEBODY, SOMEBODY);
    temporary();
    expect(readdirSync(cache())).toEqual([]);
  });

  describe('is led to by a link', () => {
    const target = (): string => join(folder, 'of-root');
    beforeEach(() => mkdirSync(target()));

    (root ? test : test.skip)('of another user: root creates nothing there', () => {
      symlinkSync(target(), cache());
      lchownSync(cache(), SOMEBODY, SOMEBODY);
      temporary();
      expect(readdirSync(target())).toEqual([]);
    });

    (root ? test : test.skip)('in a folder of another user: root creates nothing there', () => {
      mkdirSync(join(folder, 'home'));
      symlinkSync(target(), join(folder, 'home', '.cache'));
      symlinkSync('home/.cache', cache());
      chownSync(join(folder, 'home'), SOMEBODY, SOMEBODY);
      temporary();
      expect(readdirSync(target())).toEqual([]);
    });

    test('to itself', () => {
      symlinkSync('cache', cache());
      temporary();
    });
  });

  test('is not a link of this user, whose target is used', () => {
    mkdirSync(join(folder, 'own', 'deep'), { recursive: true });
    symlinkSync('own/./deep/..', cache());
    expect(start().main).toBe(join(folder, 'own', 'tool', contents.digest, 'dist/main.js'));
  });

  (root ? test : test.skip)('is a folder that another user made in advance, with the right files', () => {
    start();
    chownSync(home(), SOMEBODY, SOMEBODY);
    const { main } = start();
    expect(statSync(dirname(dirname(main))).uid).toBe(0);
  });

  test('is refused with the reason where there is no other', () => {
    writeFileSync(cache(), '');
    const run = (): Unpacked => start([], contents, join(folder, 'missing'));
    expect(run).toThrow(/cache.*missing.*Set XDG_CACHE_HOME/s);
  });
});

describe('a process that the program starts itself', () => {
  test('uses the same folder, and does not see its path among the arguments', () => {
    writeFileSync(cache(), '');
    const { main } = start();
    expect(start([main, 'serve'])).toEqual({ main, argv: ['serve'] });
    expect(ends).toHaveLength(1);
  });

  test('does not believe the folder that it is handed', () => {
    const planted = join(folder, 'planted', contents.digest);
    mkdirSync(join(planted, 'dist'), { recursive: true, mode: 0o700 });
    writeFileSync(join(planted, 'dist/main.js'), 'evil', { mode: 0o600 });
    const { main, argv } = start([join(planted, 'dist/main.js'), 'serve']);
    expect({ main, argv }).toEqual({ main: join(home(), 'dist/main.js'), argv: ['serve'] });
  });
});

function contentsOf(files: Readonly<Record<string, string>>): Contents {
  const bytes = new Map(Object.entries(files).map(([path, text]) => [`files/${path}`, Buffer.from(text)]));
  const digests = Object.entries(files).map(([path, text]) => [path, sha256(Buffer.from(text))]);
  const index = { program: 'tool', main: 'dist/main.js', files: Object.fromEntries(digests) };
  bytes.set('index.json', Buffer.from(JSON.stringify(index)));
  return readContents((name) => {
    const found = bytes.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return new Uint8Array(found).buffer;
  });
}
