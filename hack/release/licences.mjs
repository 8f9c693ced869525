// The licences of the packages that are part of a bundle: their texts, in the order of their names.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** The packages that modules are of, by name and version. `inputs`: paths relative to `root`. */
export function packagesOf(root, inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const packages = [...folders].map((folder) => describe(root, folder));
  return packages.sort((one, other) => (one.title < other.title ? -1 : 1));
}

/** Throws where a package says no licence. */
export function licenceTexts(packages) {
  const parts = packages.map(
    ({ title, licence, texts }) => `${'='.repeat(80)}\n${title}: ${licence}\n\n${texts.join('\n\n')}\n`,
  );
  return `Packages that are part of the programs of this package, with their licences.\n\n${parts.join('\n')}`;
}

/** The folder of the innermost package that has the module. */
function packageFolder(input) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

function describe(root, folder) {
  const { name, version, license } = manifestOf(join(root, folder));
  const texts = readdirSync(join(root, folder))
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
    .map((file) =>
      readFileSync(join(root, folder, file), 'utf8')
        .replace(/\r\n/g, '\n')
        .trim(),
    );
  const licence = typeof license === 'string' ? license : license?.type;
  if (licence === undefined && texts.length === 0) throw new Error(`${folder} says no licence`);
  return { name, version, title: `${name} ${version}`, licence: licence ?? 'see below', texts };
}

/** Folders of a package may have manifests of their own, without a version. */
function manifestOf(folder) {
  const path = join(folder, 'package.json');
  const manifest = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  return manifest.version === undefined ? manifestOf(dirname(folder)) : manifest;
}
