// OCI image layouts, as archives that skopeo, podman, docker and helm's peers read:
// https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './bundle.mjs';

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const INDEX = 'application/vnd.oci.image.index.v1+json';
export const CONFIG = 'application/vnd.oci.image.config.v1+json';
export const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** The time of all that is made, as RFC 3339. */
export const CREATED = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000)
  .toISOString()
  .replace('.000Z', 'Z');

/** Begins a layout in a folder of its own, which `finish` removes. */
export function beginLayout() {
  const folder = mkdtempSync(join(tmpdir(), 'oci-'));
  const blobs = join(folder, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const blob = (mediaType, bytes) => {
    const digest = sha256(bytes);
    writeFileSync(join(blobs, digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  return {
    /** Stores a blob; answers with its descriptor. */
    blob,
    json: (mediaType, value) => blob(mediaType, JSON.stringify(value)),
    /** Writes the archive `file` of the layout, whose index names the one `descriptor` as `version`. */
    finish(descriptor, version, file) {
      const named = { ...descriptor, annotations: { 'org.opencontainers.image.ref.name': version } };
      const index = { schemaVersion: 2, mediaType: INDEX, manifests: [named] };
      writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
      writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
      writeFileSync(file, pack(folder, 'blobs', 'index.json', 'oci-layout'));
      rmSync(folder, { recursive: true });
    },
  };
}

/** A tar archive of members of `folder`: see pack.sh. */
export function pack(folder, ...args) {
  return run(join(ROOT, 'hack/release/pack.sh'), [folder, ...args]);
}

/** GNU gzip's, as that of Node differs from release to release. GZIPPED is a folder of what was compressed, by what it was. */
export function gzip(bytes) {
  const { GZIPPED, GZIP_LEVEL } = process.env;
  const kept = join(GZIPPED, sha256(bytes));
  if (!existsSync(kept)) writeFileSync(kept, run('gzip', ['--no-name', `-${GZIP_LEVEL}`], bytes));
  return readFileSync(kept);
}

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Runs a program, in `cwd`; answers with what it wrote, throws where it fails. */
export function run(program, args, input, cwd) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
     input, cwd ,
    maxBuffer: 1024 ** 3,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (status !== 0) throw error ?? new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}
