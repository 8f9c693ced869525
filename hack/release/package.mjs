// package.mjs OUT: the npm package, with the agent's chart of OUT inside, as a folder, OUT/package, and packed, OUT/management-apiserver-VERSION.tgz, and what all
// that is released rests on, as SPDX, with what is known of its vulnerabilities, as OpenVEX.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { bundle, ROOT } from './bundle.mjs';
import { licenceTexts, packagesOf } from './licences.mjs';
import { AGENT_CHART, npm, pin, readJson, writeManifest } from './manifest.mjs';
import { billOfMaterials } from './sbom.mjs';
import { exploitability } from './vex.mjs';

const out = resolve(process.argv[2] ?? 'release');
const folder = join(out, 'package');
const DOCUMENTS = ['LICENSE', 'README.md', 'CHANGELOG.md'];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const { inputs } = await bundle(join(folder, 'dist'));
const pages = await buildConsole();
const site = addDocs();
for (const name of DOCUMENTS) copyFileSync(join(ROOT, name), join(folder, name));
const bundled = packagesOf(ROOT, [...inputs, ...pages, ...site]);
writeFileSync(join(folder, 'THIRD_PARTY_LICENSES.txt'), licenceTexts(bundled));
const { name: itself, version } = writeManifest(folder);
// Which `platform connect cluster` installs.
copyFileSync(join(out, `management-agent-chart-${version}.tgz`), join(folder, 'dist', AGENT_CHART));
const pinned = pin(folder);
npm(folder, 'pack', '--ignore-scripts', '--silent', '--pack-destination', out);
// What client.mjs depends on, besides.
const { typebox } = readJson(join(ROOT, 'package.json')).dependencies;
const parts = [...bundled, ...pinned, { name: 'typebox', version: typebox }].map(
  (one) => `${one.name}@${one.version}`,
);
const materials = billOfMaterials(new Set([`${itself}@${version}`, ...parts]));
writeDocument('spdx', materials);
writeDocument('openvex', exploitability(materials));

/** `format`: the end of the file's name. */
function writeDocument(format, document) {
  writeFileSync(join(out, `${itself}-${version}.${format}.json`), `${JSON.stringify(document, undefined, 2)}\n`);
}

/** The site of docs/, which `make docs` builds. Answers with the modules of packages that it is made of. */
function addDocs() {
  const built = join(ROOT, 'dist/docs.json');
  if (!existsSync(built)) throw new Error(`there is no ${built}: make docs`);
  copyFileSync(built, join(folder, 'dist/docs.json'));
  return readJson(join(ROOT, 'dist/docs.modules.json')).map((path) => join('hack/tools/docs', path));
}

/** The pages of the console, where the server looks for them. Answers with the modules that they are made of. */
async function buildConsole() {
  const { build } = await import('vite');
  const { output } = await build({
    configFile: join(ROOT, 'cmd/console/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: join(folder, 'dist/console') },
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  return modules.filter((path) => path.startsWith(ROOT)).map((path) => relative(ROOT, path.split('?', 1)[0]));
}
