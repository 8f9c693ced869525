// executables.mjs OUT: one-file programs for Linux, OUT/PROGRAM-VERSION-linux-ARCHITECTURE.tar.gz, of what package.mjs wrote
// to OUT/package and of what hack/obtain-runtime.sh obtained. Each is Node with cmd/executable and the files of an installation
// as a "single executable application": https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html
//
// The blob has no snapshot and no compiled code, so that it does not depend on the machine that makes it.
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundle, ENTRIES, ROOT } from './bundle.mjs';
import { installPackages } from './installation.mjs';
import { licenceTexts, packagesOf } from './licences.mjs';
import { AGENT_CHART } from './manifest.mjs';
import { gzip, pack, run, sha256 } from './oci.mjs';

const RUNTIME = join(ROOT, '.tools/runtime');
const WORKER = 'pkg/server/yamlworker/worker';
const PROGRAMS = {
  'management-apiserver': { entries: ['cmd/apiserver/main', WORKER], besides: ['console', 'docs.json'] },
  platform: { entries: ['cmd/platform/main'], besides: [AGENT_CHART] },
};
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
/** Node looks for it in itself. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const HOST = ARCHITECTURES[process.arch];

const out = resolve(process.argv[2]);
const packed = join(out, 'package');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const { inject } = createRequire(join(RUNTIME, HOST, 'postject/'))('postject');
const work = mkdtempSync(join(tmpdir(), 'executables-'));
try {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['cmd/executable/main.ts'],
    outfile: join(work, 'main.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
  });
  for (const [program, parts] of Object.entries(PROGRAMS)) {
    const common = join(work, program);
    const packages = await writeProgram(common, parts);
    for (const [architecture, name] of Object.entries(ARCHITECTURES)) {
      const folder = join(work, `${program}-${architecture}`);
      cpSync(common, folder, { recursive: true });
      installPackages(packed, join(RUNTIME, name, 'node_modules'), folder, { only: packages });
      const blob = blobOf(program, parts, folder);
      const licences = licenceTexts(packagesOf(folder, filesOf(folder)));
      const archive = await executable(program, {
        blob,
        licences,
        node: join(RUNTIME, name, 'nodejs/bin/node'),
      });
      writeFileSync(join(out, `${program}-${version}-linux-${architecture}.tar.gz`), archive);
    }
  }
} finally {
  rmSync(work, { recursive: true });
}

/** The program without its packages, which it answers with: they are for one architecture. */
async function writeProgram(folder, parts) {
  const entries = Object.fromEntries(parts.entries.map((entry) => [entry, ENTRIES[entry]]));
  const { packages } = await bundle(join(folder, 'dist'), entries);
  for (const name of parts.besides)
    cpSync(join(packed, 'dist', name), join(folder, 'dist', name), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ version, type: 'module' })}\n`);
  return packages;
}

/** What Node finds in itself: cmd/executable/main.ts, and as assets the files of `folder` and an index of them. */
function blobOf(program, { entries }, folder) {
  const files = filesOf(folder);
  const index = {
    program,
    main: `dist/${entries[0]}.js`,
    files: Object.fromEntries(files.map((path) => [path, sha256(readFileSync(join(folder, path)))])),
  };
  writeFileSync(join(work, 'index.json'), JSON.stringify(index));
  const assets = files.map((path) => [`files/${path}`, join(folder, path)]);
  const config = {
    // Part of the blob: relative, as the folder is another one each time.
    main: 'main.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    // Node takes no argument for itself: it would take `--env-file` of platform, and with it NODE_OPTIONS of the file.
    execArgv: ['--'],
    useSnapshot: false,
    useCodeCache: false,
    assets: Object.fromEntries([['index.json', join(work, 'index.json')], ...assets]),
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  run(join(RUNTIME, HOST, 'nodejs/bin/node'), ['--experimental-sea-config', 'config.json'], '', work);
  return readFileSync(join(work, 'blob'));
}

/** Relative, in the order of their names. */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}

/** An archive of the program and of the licences: those of all that is released, and `licences` of what is added here. */
async function executable(program, { blob, licences, node }) {
  const folder = mkdtempSync(join(work, 'archive-'));
  const file = join(folder, program);
  cpSync(node, file);
  // LIEF, which postject is made of, warns of sections of notes that Node's linker named in the same way.
  const { log, warn } = console;
  Object.assign(console, { log: () => undefined, warn: () => undefined });
  await inject(file, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE }).finally(() =>
    Object.assign(console, { log, warn }),
  );
  chmodSync(file, 0o755);
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(
    join(folder, 'licences.txt'),
    `${readFileSync(join(out, 'licences.txt'), 'utf8')}\n${licences}`,
  );
  const archive = gzip(pack(folder, 'LICENSE', 'licences.txt', program));
  rmSync(folder, { recursive: true });
  return archive;
}
