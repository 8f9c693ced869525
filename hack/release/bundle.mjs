// Bundles the programs into a folder that is laid out as dist/ is: `cmd/apiserver/main.js` and the like, and what they
// share in `chunks/`.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * Packages that stay packages: those with native code, and those that read files beside their own. Their versions are
 * those of package.json.
 */
export const EXTERNAL = ['@napi-rs/keyring', 'etcd3', 'lmdb', 'open'];

export const ENTRIES = {
  'cmd/agent/main': 'cmd/agent/main.ts',
  'cmd/apiserver/main': 'cmd/apiserver/main.ts',
  'cmd/chart/main': 'cmd/chart/main.ts',
  'cmd/platform/main': 'cmd/platform/main.ts',
  // Threads are started from it.
  'pkg/server/yamlworker/worker': 'pkg/server/yamlworker/worker.ts',
};

/** Packages in the older form of modules call `require` for what Node has. */
const BANNER =
  "import { createRequire as requireOf } from 'node:module';const require = requireOf(import.meta.url);";

const KINDS = /[/\\]pkg[/\\](registry|management)[/\\]kinds\.ts$/;
const FOUND = 'await findKinds(import.meta.url, (path) => import(path))';

/** A module that finds its kinds in folders imports them by name in a bundle. */
const kinds = {
  name: 'kinds',
  setup({ onLoad }) {
    onLoad({ filter: KINDS }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes(FOUND)) throw new Error(`${path} does not find its kinds: ${FOUND}`);
      const folders = readdirSync(dirname(path), { recursive: true, encoding: 'utf8' })
        .map((file) => /^(.+)[/\\]kind\.ts$/.exec(file)?.[1]?.replaceAll('\\', '/'))
        .filter((one) => one !== undefined)
        .sort();
      const imports = folders.map((one, at) => `import { kind as kind${at} } from './${one}/kind.js';`);
      const found = `inOrder([${folders.map((_one, at) => `kind${at}`).join(', ')}])`;
      const named = text.replace(/import \{[^}]*\} from '([^']*findkinds\.js)'/, "import { inOrder } from '$1'");
      return { contents: `${imports.join('\n')}\n${named.replace(FOUND, found)}`, loader: 'ts' };
    });
  },
};

const LAZY = /createRequire\(import\.meta\.url\)\((?='[^']+'\))/g;
/** The same, by pkg/apimachinery/lazymodule.ts, which names the package where it cannot be seen. */
const LAZY_MODULE = /lazyModule<[^;()]*>\(('[^']+')\)/g;
const ONCE = '(() => { let loaded; return () => (loaded ??= require($1)); })()';
const LOADED = /await import\(('[^'./][^':]*')\)/g;
/** Of a package in the older form of modules, `import()` has but `default` in a bundle; in Node it has the names as well. */
const NAMES_OF =
  'function namesOf(all) { return all.default === undefined ? all : { ...all.default, ...all }; }';
const BESIDE = /new URL\('(\.[^']+)', import\.meta\.url\)/g;

/**
 * Packages that are loaded when they are first needed are so in a bundle as well, and are part of it. Files that a
 * module names as they lie to itself in dist/ are named as they lie to `chunks/`.
 */
function sources(namers) {
  return {
    name: 'sources',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\](pkg|cmd)[/\\].*\.ts$/ }, ({ path }) => {
        if (KINDS.test(path)) return undefined;
        const source = relative(ROOT, path).replaceAll('\\', '/');
        const read = readFileSync(path, 'utf8').replace(LAZY, 'require(').replace(LAZY_MODULE, ONCE);
        const loading = read.replace(LOADED, 'namesOf(await import($1))');
        const text = loading === read ? read : `${loading}\n${NAMES_OF}\n`;
        const contents = text.replace(BESIDE, (_whole, to) => {
          namers.push(source);
          return `new URL('${posix.relative('chunks', posix.join(posix.dirname(source), to))}', import.meta.url)`;
        });
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** What `config.js` of the Kubernetes client takes from the index of what is generated: all kinds of Kubernetes are there too. */
const GENERATED = "import { createConfiguration, ServerConfiguration, } from './gen/index.js';";

const smallClient = {
  name: 'small-client',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]@kubernetes[/\\]client-node[/\\]dist[/\\]config\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes(GENERATED)) throw new Error(`${path} imports something else than it did`);
      const imports =
        "import { createConfiguration } from './gen/configuration.js';" +
        "import { ServerConfiguration } from './gen/servers.js';";
      return { contents: text.replace(GENERATED, imports), loader: 'js' };
    });
  },
};

/** What modules import of node:http by its name; the bundle is not made where one is missing. */
const HTTP_NAMES = ['Agent', 'IncomingMessage', 'STATUS_CODES', 'ServerResponse', 'createServer', 'request'];

/**
 * An `import` of node:http reads all that is in it, and for one of its names, WebSocket, Node loads a client of HTTP that nobody here
 * uses: 36 ms of CPU and 14 MB at each start. What `process.getBuiltinModule` answers is read by name.
 */
const smallHttp = {
  name: 'small-http',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'require-call' ? undefined : { path: 'http', namespace: 'builtin' },
    );
    onLoad({ filter: /^http$/, namespace: 'builtin' }, () => ({
      contents: [
        "const http = process.getBuiltinModule('node:http');",
        `export const { ${HTTP_NAMES.join(', ')} } = http;`,
        'export default http;',
      ].join('\n'),
    }));
  },
};

/**
 * Writes the bundle of `entries` below `outdir`. Answers with the files that went into it, relative to the repository, and
 * with the packages that it loads.
 */
export async function bundle(outdir, entries = ENTRIES) {
  const namers = [];
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    chunkNames: 'chunks/[name]-[hash]',
    external: EXTERNAL,
    // node-fetch prefers the URL that Node has.
    alias: { 'whatwg-url': 'node:url' },
    banner: { js: BANNER },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // V8 keeps a text with one character beyond Latin-1 in two bytes each.
    charset: 'ascii',
    metafile: true,
    plugins: [kinds, sources(namers), smallClient, smallHttp],
    logLevel: 'warning',
  });
  for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
    const namer = namers.find((source) => source in inputs);
    if (namer !== undefined && !/\/chunks\/[^/]+$/.test(output))
      throw new Error(`${namer} names a file by where it lies itself, and is in ${output}, not in chunks/`);
  }
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const packages = EXTERNAL.filter((name) => imports.some(({ path }) => path === name));
  return { inputs: Object.keys(metafile.inputs), packages };
}
