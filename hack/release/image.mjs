// image.mjs OUT: the image as an OCI layout, OUT/management-apiserver-image-VERSION.oci.tar, for two architectures, of
// OUT/package and of what hack/obtain-runtime.sh obtained. Prints the digest of its index.
//
// It has what the last stage of deploy/Containerfile has, at the same places, without an engine: Node, the libraries that Node
// is linked to, the programs. No shell, no package manager. Certificate authorities and time zones are Node's own.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ROOT } from './bundle.mjs';
import { install } from './installation.mjs';
import { beginLayout, CONFIG, CREATED, gzip, INDEX, LAYER, MANIFEST, pack, run, sha256 } from './oci.mjs';

const USER = 65_532;
const PROGRAMS = {
  'management-agent': 'agent',
  'management-apiserver': 'apiserver',
  'kubectl-platform': 'platform',
  platform: 'platform',
};
const FILES = {
  'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${USER}:${USER}:nonroot:/home/nonroot:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nnonroot:x:${USER}:\n`,
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  // Scanners look here, and in var/lib/dpkg/status.d, whose libraries these are.
  'etc/os-release':
    'PRETTY_NAME="Debian GNU/Linux 12 (bookworm), libraries alone"\nID=debian\nVERSION_ID="12"\n',
};
/** Of the packages of Debian: the loader, what Node and its native packages are linked to, and the licences. */
const WANTED =
  /\/((ld-linux\S*|lib(c|dl|gcc_s|m|pthread|resolv|rt|stdc\+\+))\.so\.[\d.]+|usr\/share\/doc\/[^/]+(\/copyright)?)$/;

const out = resolve(process.argv[2]);
const { name, version, description, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const labels = {
  'org.opencontainers.image.title': name,
  'org.opencontainers.image.description': description,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.licenses': license,
};
const layout = beginLayout();
const manifests = ['amd64', 'arm64'].map(imageFor);
const index = layout.json(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests, annotations: labels });
layout.finish(index, version, join(out, `${name}-image-${version}.oci.tar`));
console.log(index.digest);

/** Stores the image for an architecture; answers with the descriptor of its manifest. */
function imageFor(architecture) {
  const runtime = join(ROOT, '.tools/runtime', architecture);
  const layers = [
    layer((root) => system(root, runtime)),
    layer(folders, [`--owner=${USER}`, `--group=${USER}`, '--mode=u=rwx,go=']),
    layer((root) => programs(root, runtime)),
  ];
  const platform = { architecture, os: 'linux', ...(architecture === 'arm64' ? { variant: 'v8' } : {}) };
  const config = layout.json(CONFIG, {
    created: CREATED,
    ...platform,
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { '6443/tcp': {} },
      Env: [
        'PATH=/usr/local/bin:/nodejs/bin',
        'NODE_ENV=production',
        // As on Node 20: twice as much, which Node 24 takes, makes nothing cheaper.
        'NODE_OPTIONS=--max-semi-space-size=16',
        'HOME=/home/nonroot',
      ],
      Entrypoint: ['/nodejs/bin/node', 'dist/cmd/apiserver/main.js'],
      WorkingDir: '/app',
      Labels: labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: ['Node and its libraries', 'folders to write to', 'programs'].map((comment) => ({
      created: CREATED,
      comment,
    })),
  });
  const descriptors = layers.map(({ descriptor }) => descriptor);
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config,
    layers: descriptors,
    annotations: labels,
  };
  return { ...layout.json(MANIFEST, manifest), platform };
}

/** Stores a layer of what `fill` writes to a folder, with the owner and rights that `options` of tar give. */
function layer(fill, options = []) {
  const root = mkdtempSync(join(tmpdir(), 'layer-'));
  try {
    const members = fill(root) ?? readdirSync(root).sort();
    const archive = pack(root, ...options, ...members);
    return { diffId: `sha256:${sha256(archive)}`, descriptor: layout.blob(LAYER, gzip(archive)) };
  } finally {
    rmSync(root, { recursive: true });
  }
}

function system(root, runtime) {
  const debian = join(runtime, 'debian');
  const status = join(root, 'var/lib/dpkg/status.d');
  for (const folder of [status, join(root, 'etc'), join(root, 'home'), join(root, 'nodejs/bin')])
    mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(debian).sort()) {
    const path = join(debian, file);
    const archive = run('dpkg-deb', ['--fsys-tarfile', path]);
    const paths = run('tar', ['--list', '--file=-'], archive).toString().split('\n');
    const wanted = paths.filter((each) => WANTED.test(each));
    run('tar', ['--extract', '--file=-', `--directory=${root}`, ...wanted], archive);
    writeFileSync(join(status, file.split('_', 1)[0]), run('dpkg-deb', ['--field', path]));
  }
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(root, path), text);
  cpSync(join(runtime, 'nodejs/bin/node'), join(root, 'nodejs/bin/node'));
  cpSync(join(runtime, 'nodejs/LICENSE'), join(root, 'nodejs/LICENSE'));
}

function programs(root, runtime) {
  install(join(out, 'package'), join(runtime, 'node_modules'), join(root, 'app'));
  const folder = join(root, 'usr/local/bin');
  mkdirSync(folder, { recursive: true });
  for (const [program, main] of Object.entries(PROGRAMS)) {
    // After `--` Node takes no argument for itself: it would take `--env-file` of platform.
    writeFileSync(join(folder, program), `#!/nodejs/bin/node --\nimport('/app/dist/cmd/${main}/main.js');\n`);
    chmodSync(join(folder, program), 0o755);
  }
}

/** Where the server keeps its state when it is told nothing, and what may be written for a while. */
function folders(root) {
  const members = ['home/nonroot', 'tmp'];
  for (const folder of members) mkdirSync(join(root, folder), { recursive: true });
  return members;
}
