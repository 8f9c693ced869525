/** What reads the bytes of strangers: each with inputs to begin from and the failures that it may answer with. */
import { Lease } from '../../api/coordination.k8s.io/v1/lease.js';
import { ConfigMap } from '../../api/core/v1/configmap.js';
import { ClusterRole } from '../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import type { JsonValue, KubeObject, ResourceDefinition } from '../../api/resource.js';
import { SharedSecret } from '../../api/management.svc.example/v1/sharedsecret.js';
import { decodeContinue, encodeContinue } from '../../pkg/apimachinery/continue.js';
import { decodeBody } from '../../pkg/apimachinery/encoding/body.js';
import { encodeObject } from '../../pkg/apimachinery/encoding/canonical.js';
import { protobufOf } from '../../pkg/apimachinery/encoding/protobuf/kind.js';
import { StatusError } from '../../pkg/apimachinery/errors.js';
import { parseAccept, parseContentType } from '../../pkg/apimachinery/mediatype.js';
import { MEDIA_TYPE } from '../../pkg/apimachinery/negotiation.js';
import { deleteOptionsFromBody, parseDeleteOptions } from '../../pkg/apimachinery/options/delete.js';
import { parseDuration } from '../../pkg/apimachinery/options/duration.js';
import { parseListOptions, validateListOptions } from '../../pkg/apimachinery/options/list.js';
import { parseQuery } from '../../pkg/apimachinery/options/query.js';
import { parsePatchOptions, validatePatchOptions } from '../../pkg/apimachinery/options/write.js';
import { decodeJsonPatch, decodeMergePatch } from '../../pkg/apimachinery/patch/decode.js';
import { runToCompletion } from '../../pkg/apimachinery/eventloop/slices.js';
import { jsonPatchSteps } from '../../pkg/apimachinery/patch/jsonpatch.js';
import { applyMergePatch } from '../../pkg/apimachinery/patch/mergepatch.js';
import { compileSchema } from '../../pkg/apimachinery/schema/compile.js';
import { parseFieldSelector } from '../../pkg/apimachinery/selectors/fields.js';
import { parseLabelSelector } from '../../pkg/apimachinery/selectors/labels.js';
import { validateMetadataCreate } from '../../pkg/apimachinery/validation/metadata.js';
import { requestInfo } from '../../pkg/server/requestinfo.js';
import { seedsOf } from './seeds.js';

export interface FuzzTarget {
  readonly name: string;
  readonly seeds: () => readonly Buffer[];
  /** Reads `input`; throws a StatusError below 500 for bad input, anything else is a defect. */
  readonly read: (input: Buffer) => void;
}

/** What a create does with a body before admission. */
function bodyReader(definition: ResourceDefinition, contentType: string): FuzzTarget['read'] {
  const schema = compileSchema(definition);
  const protobuf = protobufOf(definition)?.object;
  return (input) => {
    const { value } = decodeBody(input, contentType, true, { kind: definition.kind, protobuf });
    const object = value as unknown as KubeObject;
    object.metadata ??= {};
    schema.decodeTypes(object);
    schema.prune(object);
    schema.applyDefaults(object);
    schema.check(object);
    validateMetadataCreate(object.metadata, definition);
    encodeObject(object);
  };
}

/** Bytes as this project writes them and as Go does. */
function protobufTarget(definition: ResourceDefinition): FuzzTarget {
  const ofKind = ({ json, go, ours }: Readonly<Record<string, unknown>>): readonly unknown[] =>
    (json as KubeObject).kind === definition.kind ? [go, ours] : [];
  return {
    name: `protobuf-${definition.plural}`,
    seeds: () => seedsOf('protobuf', ofKind).map((hex) => Buffer.from(hex.toString(), 'hex')),
    read: bodyReader(definition, MEDIA_TYPE.protobuf),
  };
}

const DOCUMENT: JsonValue = { a: { b: [1, 2, { c: null }] }, list: ['x', 'y'], text: 'value', none: null };

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'json-body',
    seeds: () => seedsOf('strictdecode', (line) => (line.format === 'json' ? [line.in] : [])),
    read: bodyReader(SharedSecret, MEDIA_TYPE.json),
  },
  {
    name: 'yaml-body',
    seeds: () => seedsOf('strictdecode', (line) => (line.format === 'yaml' ? [line.in] : [])),
    read: bodyReader(SharedSecret, MEDIA_TYPE.yaml),
  },
  ...[ConfigMap, Lease, ClusterRole].map(protobufTarget),
  {
    name: 'json-patch',
    seeds: () => seedsOf('jsonpatch', (line) => [line.patch]),
    read: (input) =>
      void runToCompletion(jsonPatchSteps(DOCUMENT, runToCompletion(decodeJsonPatch(input, 'Warn')).value)),
  },
  {
    name: 'merge-patch',
    seeds: () => seedsOf('mergepatch', (line) => [line.patch]),
    read: (input) => void applyMergePatch(DOCUMENT, runToCompletion(decodeMergePatch(input, 'Strict')).value),
  },
  {
    name: 'label-selector',
    seeds: () => seedsOf('selectors', (line) => (line.kind === 'label' ? [line.in] : [])),
    read: (input) => {
      const selector = parseLabelSelector(input.toString());
      selector.matches({ a: 'b', n: '10' });
    },
  },
  {
    name: 'field-selector',
    seeds: () => seedsOf('selectors', (line) => (line.kind === 'field' ? [line.in] : [])),
    read: (input) => void parseFieldSelector(input.toString(), () => undefined),
  },
  {
    name: 'continue-token',
    seeds: () => [
      ...seedsOf('continue', (line) => [line.token]),
      Buffer.from(encodeContinue({ revision: 5, start: 'default/a' })),
    ],
    read: (input) => void decodeContinue(input.toString()),
  },
  {
    name: 'accept',
    seeds: () => seedsOf('negotiation', (line) => [line.accept]),
    read: (input) => {
      parseAccept(input.toString('latin1'));
      parseContentType(input.toString('latin1'));
    },
  },
  {
    name: 'query',
    seeds: () =>
      [
        'limit=5&continue=abc&labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&resourceVersion=0',
        'watch=1&timeoutSeconds=5&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=Exact',
        'dryRun=All&fieldManager=me&fieldValidation=Strict&force=true&pretty=1&timeout=34s',
        'gracePeriodSeconds=30&propagationPolicy=Orphan&orphanDependents=false&preconditions.uid=x',
      ].map((text) => Buffer.from(text)),
    read: (input) => {
      const query = parseQuery(input.toString('latin1'));
      validateListOptions(parseListOptions(query), true);
      validatePatchOptions(parsePatchOptions(query), true);
      parseDeleteOptions(query);
    },
  },
  {
    name: 'delete-options',
    seeds: () =>
      [
        '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"x","resourceVersion":"1"}}',
        '{"gracePeriodSeconds":0,"propagationPolicy":"Foreground","dryRun":["All"],"orphanDependents":null}',
      ].map((text) => Buffer.from(text)),
    read: (input) => {
      const { value } = decodeBody(input, undefined, false, { kind: 'DeleteOptions' });
      deleteOptionsFromBody(value as { [member: string]: JsonValue });
    },
  },
  {
    name: 'duration',
    seeds: () => ['1h2m3.5s', '-1.5h', '300ms', '1us', '0', '+5ns'].map((text) => Buffer.from(text)),
    read: (input) => {
      try {
        parseDuration(input.toString());
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('time: ')) throw error;
      }
    },
  },
  {
    name: 'request-line',
    seeds: () =>
      [
        '/apis/management.svc.example/v1/namespaces/default/sharedsecrets/a/status?pretty=1',
        '/kubernetes/management/api/v1/namespaces/x/configmaps?watch=true&resourceVersion=1',
        '/api/v1/watch/namespaces/default/configmaps/a',
        '/apis/%2E%2E/v1/x//y/?a=b?c#d',
        '/openapi/v3/apis/management.svc.example/v1?hash=ABC',
      ].map((text) => Buffer.from(text)),
    read: (input) => void requestInfo('GET', input.toString('latin1')),
  },
];

/** Whether an error is an answer to bad input. */
export function isAnswer(error: unknown): boolean {
  return error instanceof StatusError && error.code >= 400 && error.code < 500;
}
