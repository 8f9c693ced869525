/** Lines of protobuf.jsonl. */
import { equal } from 'node:assert/strict';
import type { Codec } from '../../../pkg/apimachinery/encoding/protobuf/codec.js';
import { DELETE_OPTIONS, encodeDocument } from '../../../pkg/apimachinery/encoding/protobuf/documents.js';
import { open } from '../../../pkg/apimachinery/encoding/protobuf/envelope.js';
import { protobufOf } from '../../../pkg/apimachinery/encoding/protobuf/kind.js';
import { KINDS } from '../../../pkg/management/kinds.js';
import { same } from './same.js';

export interface ProtobufVector {
  readonly name: string;
  readonly json: { readonly kind: string; readonly apiVersion: string };
  /** Hexadecimal: as Go writes it, and bytes that a Kubernetes client read as the same object. */
  readonly go: string;
  readonly ours: string;
}

const CODECS: Readonly<Record<string, Codec>> = Object.fromEntries([
  ['DeleteOptions', DELETE_OPTIONS],
  // The vectors name a kind by its name alone: of what there is in two forms, the one that is kept.
  ...KINDS.filter((kind) => !('form' in kind)).flatMap(({ definition }) => {
    const forms = protobufOf(definition);
    if (forms === undefined) return [];
    return [
      [definition.kind, forms.object],
      [`${definition.kind}List`, forms.list],
    ];
  }),
]);

export function judgeProtobuf({ json, go, ours }: ProtobufVector): void {
  equal(encodeDocument(json, CODECS).toString('hex'), go);
  if (!Object.hasOwn(CODECS, json.kind)) return;
  for (const bytes of [go, ours]) {
    const { kind, apiVersion, raw } = open(Buffer.from(bytes, 'hex'));
    same(withoutEmpty({ kind, apiVersion, ...CODECS[kind]?.decode(raw) }), withoutEmpty(json));
  }
}

/** Empty lists and maps are not told from absent ones, nor is an absent time, which Go prints as null. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => {
    if (member === null) return false;
    const empty = typeof member === 'object' && Object.keys(member as object).length === 0;
    return !empty || name.startsWith('f:') || name === '.' || name.startsWith('k:');
  });
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)]));
}
