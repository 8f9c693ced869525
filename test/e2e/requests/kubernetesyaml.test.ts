/**
 * Random documents of YAML mean the same here as to Kubernetes, and what is written here is read there.
 * `YAML_DOCUMENTS` (10000) is how many; `SEED` makes others: the usual ones are the same in each run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { decodeYaml, encodeYaml } from '../../../pkg/apimachinery/encoding/yaml/yaml.js';
import { describeWith } from '../../fixtures/program.js';
import { Choices } from '../../fixtures/yaml/choices.js';
import { DIFFERENCES } from '../../fixtures/yaml/differences.js';
import { linesOf, yamlDocument } from '../../fixtures/yaml/documents.js';
import { readByKubernetes, readHere, readingOf, REFUSED } from '../../fixtures/yaml/kubernetesyaml.js';
import { reduced } from '../../fixtures/yaml/reduce.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COUNT = Number(process.env.YAML_DOCUMENTS ?? '10000');
const SEED = Number(process.env.SEED ?? '1');

const manifests = ['deploy', 'deploy/manifests', 'deploy/ci', 'hack/reference/configurationfiles'].flatMap(
  (folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => linesOf(readFileSync(join(ROOT, folder, name), 'utf8'))),
);

/** Whether each means another thing here, and not by one of the known differences. */
function differ(documents: readonly Buffer[]): boolean[] {
  const kubernetes = readByKubernetes(documents);
  return documents.map((document, index) => {
    const there = kubernetes[index] ?? '';
    const here = readHere(document);
    if (here === there || DIFFERENCES.some(({ isOne }) => isOne(document, there, here))) return false;
    return !isReadInSeveralWays(document);
  });
}

/** Kubernetes takes any of the keys `1` and `"1"`, which only JSON makes equal. */
const isReadInSeveralWays = (document: Buffer): boolean =>
  new Set(readByKubernetes(Array.from({ length: 30 }, () => document))).size > 1;

const shown = (document: Buffer): object => ({
  seed: SEED,
  document: document.toString(),
  base64: document.toString('base64'),
  kubernetes: readByKubernetes([document])[0],
  here: readHere(document),
});

describeWith('sigsyaml')(`seed ${SEED}`, () => {
  const choices = new Choices(SEED);
  const documents = Array.from({ length: COUNT }, () => yamlDocument(choices, manifests));

  test(`${COUNT} documents mean the same`, () => {
    const differs = differ(documents);
    const found = documents.filter((_, index) => differs[index]);
    expect(found.slice(0, 5).map((document) => shown(reduced(document, differ)))).toEqual([]);
  });

  test('enough of them are read, and enough refused', () => {
    const refused = documents.filter((document) => readHere(document) === REFUSED).length;
    expect(refused / COUNT).toBeGreaterThan(0.2);
    expect(refused / COUNT).toBeLessThan(0.8);
  });

  test('what is written here means the same there', () => {
    const values: JsonValue[] = documents
      .filter((document) => readHere(document) !== REFUSED)
      .map((document) => ({ value: decodeYaml(document).value }));
    const written = values.map((value) => Buffer.from(encodeYaml(value)));
    const read = readByKubernetes(written);
    const wrong = written.filter((text, index) => {
      const wanted = readingOf(values[index] as JsonValue);
      return read[index] !== wanted || readHere(text) !== wanted;
    });
    expect(wrong.slice(0, 5).map(shown)).toEqual([]);
  });

  test.each(DIFFERENCES)('still differs: $name', ({ example, isOne }) => {
    const [kubernetes = ''] = readByKubernetes([example]);
    const here = readHere(example);
    expect(here).not.toBe(kubernetes);
    expect(isOne(example, kubernetes, here)).toBe(true);
  });
});
