import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodePretty } from '../../apimachinery/encoding/json.js';
import { encodeYaml } from '../../apimachinery/encoding/yaml/yaml.js';
import { prettyChunks, yamlChunks } from './indentedchunks.js';

const text = (chunks: Iterable<Buffer>): string => Buffer.concat([...chunks]).toString();

const value = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '-', '#', '"', "'", '|', '\t', 'é') }),
  fc.jsonValue({ maxDepth: 3 }),
);
const item = fc.dictionary(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), value, { minKeys: 1 });
const head = { apiVersion: 'v1', kind: 'ThingList', metadata: { resourceVersion: '7', items: [] } };

test.each(['items', 'rows'] as const)('joined chunks are the document, member %s', (member) => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 4 }), (items) => {
      const parts = { head: { ...head, [member]: [] }, member, count: items.length, items };
      expect(text(prettyChunks(parts))).toBe(encodePretty({ ...head, [member]: items }));
      expect(text(yamlChunks(parts))).toBe(encodeYaml({ ...head, [member]: items }));
    }),
  );
});

test('splits long documents into chunks, and YAML into short ones', () => {
  const items = Array.from({ length: 3000 }, (_, n) => ({ name: `thing-${n}`, note: 'x'.repeat(100) }));
  const parts = { head: { ...head, items: [] }, member: 'items' as const, count: items.length, items };
  expect([...prettyChunks(parts)].length).toBeGreaterThan(2);
  for (const chunk of yamlChunks(parts)) expect(chunk.length).toBeLessThan(17 * 1024);
});
