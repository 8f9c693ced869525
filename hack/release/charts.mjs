// charts.mjs OUT: each chart of OUT as an OCI layout, OUT/NAME-chart-VERSION.oci.tar, as `helm push` would store it in a
// registry: https://helm.sh/docs/topics/registries/#helm-chart-manifest. Its layer is the archive beside it, byte for byte.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { beginLayout, CREATED, MANIFEST, run } from './oci.mjs';

const CONFIG = 'application/vnd.cncf.helm.config.v1+json';
const CONTENT = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

const out = resolve(process.argv[2]);
for (const file of readdirSync(out).filter((name) => /-chart-.*\.tgz$/.test(name))) {
  const archive = readFileSync(join(out, file));
  const members = run('tar', ['--list', '--gzip', '--file=-'], archive).toString().split('\n');
  const member = members.find((path) => /^[^/]+\/Chart\.yaml$/.test(path));
  const chart = parse(
    run('tar', ['--extract', '--to-stdout', '--gzip', '--file=-', member], archive).toString(),
  );
  const layout = beginLayout();
  const manifest = layout.json(MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: layout.json(CONFIG, chart),
    layers: [layout.blob(CONTENT, archive)],
    annotations: {
      'org.opencontainers.image.created': CREATED,
      'org.opencontainers.image.description': chart.description,
      'org.opencontainers.image.title': chart.name,
      'org.opencontainers.image.version': chart.version,
    },
  });
  layout.finish(manifest, chart.version, join(out, file.replace(/\.tgz$/, '.oci.tar')));
}
