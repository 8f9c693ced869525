/** The representation of an answer: media type, pretty printing, Table, metadata alone. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { encodeJson, encodePretty } from '../../apimachinery/encoding/json.js';
import { encodeDocument } from '../../apimachinery/encoding/protobuf/documents.js';
import { protobufOf, type KindProtobuf } from '../../apimachinery/encoding/protobuf/kind.js';
import { encodeYaml, encodeYamlInSlices } from '../../apimachinery/encoding/yaml/yaml.js';
import { partialMetadataBytes } from '../../apimachinery/encoding/metadatabytes.js';
import { failure, type StatusError } from '../../apimachinery/errors.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { negotiate, wantsPretty, type Negotiated, type Offer } from '../../apimachinery/negotiation.js';
import { parseIncludeObject, type IncludeObject, type MetaVersion } from '../../apimachinery/table.js';
import type { Query } from '../../apimachinery/options/query.js';
import type { KindRequest } from '../requestcontext.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** The options of a Table. */
export interface TableRequest {
  readonly version: MetaVersion;
  readonly includeObject: IncludeObject;
}

export interface Representation {
  readonly mediaType: Negotiated['mediaType'];
  readonly contentType: string;
  readonly pretty: boolean;
  /** Set when the client asked for a Table. */
  readonly table: TableRequest | undefined;
  /** Set when the client asked for the metadata alone (`PartialObjectMetadata`). */
  readonly metadata: MetaVersion | undefined;
  /** The reason why no answer can have this form: a list of a single object, or the reverse. */
  readonly refusal: StatusError | undefined;
  /** The kind's own protobuf, if any; {@link writeDocument} requires it if the media type is protobuf. */
  readonly protobuf: KindProtobuf | undefined;
  /** Compact JSON, the form of bytes in memory. */
  readonly compact: boolean;
  /** Bytes in memory go out as they are. */
  readonly plain: boolean;
}

/** `answer`: an object that is not stored, and has no Table. */
export type Shape = 'object' | 'list' | 'watch' | 'answer';

/**
 * Throws StatusError 406, and 400 for a bad `includeObject`. Metadata in the wrong shape are refused when the answer
 * is made, after the request was executed, as in Kubernetes: see {@link Representation.refusal}.
 */
export function representationOf(call: KindRequest, query: Query, shape: Shape): Representation {
  const { headers } = call.exchange.request;
  const watch = shape === 'watch';
  const protobuf = protobufOf(call.store.definition);
  const offers = protobuf === undefined ? OFFERS.metadataOnly : OFFERS.everything;
  const offer = watch ? offers.watch : offers.answer;
  const offered = shape === 'answer' ? { ...offer, transforms: [] } : offer;
  // A watch is negotiated as a list first and then as a stream, so that an unknown form is refused as in a list.
  if (watch) negotiate(headers.accept, offers.answer);
  const negotiated = negotiate(headers.accept, offered);
  const pretty = !watch && wantsPretty(call.info.query, negotiated.pretty, headers['user-agent']);
  const { mediaType, contentType, transform } = negotiated;
  const compact = mediaType === 'json' && !pretty;
  let table: TableRequest | undefined;
  let metadata: MetaVersion | undefined;
  let refusal: StatusError | undefined;
  if (transform?.kind === 'Table') {
    const includeObject = parseIncludeObject(query.get('includeObject'));
    table = { version: transform.version, includeObject };
  } else if (transform !== undefined && transform.kind !== 'APIGroupDiscoveryList') {
    refusal = refusalOf(transform.kind, shape, call.store.definition);
    metadata = transform.version;
  }
  return {
    mediaType,
    contentType,
    pretty,
    table,
    metadata,
    refusal,
    protobuf,
    compact,
    plain: compact && transform === undefined,
  };
}

/**
 * Whether an answer of this form has cells of a Table and metadata alone. Metadata without a Table do not count: they keep
 * kubectl's annotation, which may hold all of an object.
 */
export const isWithoutValues = ({ table }: Pick<Representation, 'table'>): boolean =>
  table !== undefined && table.includeObject !== 'Object';

/** Lists are lists of metadata and single objects are not; a watch sends single objects. */
function refusalOf(asked: string, shape: Shape, definition: ResourceDefinition): StatusError | undefined {
  const list = asked === 'PartialObjectMetadataList';
  if (list === (shape === 'list')) return undefined;
  const type = goType(definition);
  const text = list
    ? `the requested object is not a list (*${type})`
    : `the requested object is a list (*${type}List)`;
  return failure('NotAcceptable', `you requested ${asked}, but ${text}`);
}

/** Kubernetes uses its internal types: `core.ConfigMap`, `rbac.Role`. */
const goType = ({ group, kind }: ResourceDefinition): string =>
  `${group === '' ? 'core' : (group.split('.', 1)[0] ?? '')}.${kind}`;

const TRANSFORMS: Offer['transforms'] = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'];
const TYPES: Offer['types'] = ['json', 'yaml', 'protobuf'];
const ANSWER: Offer = { types: TYPES, transforms: TRANSFORMS, watch: false };
const WATCH: Offer = { types: TYPES, transforms: TRANSFORMS, watch: true };
const METADATA_ONLY: Pick<Offer, 'transformedOnly'> = { transformedOnly: ['protobuf'] };

/** Metadata have a protobuf form for every kind. */
const OFFERS = {
  everything: { answer: ANSWER, watch: WATCH },
  metadataOnly: { answer: { ...ANSWER, ...METADATA_ONLY }, watch: { ...WATCH, ...METADATA_ONLY } },
} as const;

/** Writes a document that is not a stored object: a Status, a Table of one row. */
export function writeDocument(document: object, representation: Representation): Buffer {
  const { mediaType, pretty, protobuf } = representation;
  if (mediaType === 'protobuf') return encodeDocument(document, protobuf?.byKind);
  if (mediaType === 'yaml') return Buffer.from(encodeYaml(document));
  return Buffer.from(pretty ? encodePretty(document) : `${encodeJson(document)}\n`);
}

const NEWLINE = Buffer.from('\n');

/** Objects of more bytes are written in slices. */
const LARGE_BYTES = 16 * 1024;

/** One object's served bytes as the client wants them, later where that takes long; Tables are made elsewhere. */
export function writeObject(bytes: Buffer, representation: Representation): Buffer | Promise<Buffer> {
  const { metadata, compact } = representation;
  const wanted = metadata === undefined ? bytes : partialMetadataBytes(bytes, metadata);
  if (compact) return Buffer.concat([wanted, NEWLINE], wanted.length + 1);
  if (wanted.length > LARGE_BYTES) return writeLarge(wanted, representation);
  return writeDocument(parseStored<KubeObject>(wanted), representation);
}

async function writeLarge(bytes: Buffer, representation: Representation): Promise<Buffer> {
  const pause = slices();
  const object = parseStored<KubeObject>(bytes);
  await pause();
  return representation.mediaType === 'yaml'
    ? encodeYamlInSlices(object)
    : writeDocument(object, representation);
}
