import { failure, type StatusError } from './errors.js';
import { parseAccept, parseContentType, type AcceptClause } from './mediatype.js';
import { parseQuery } from './options/query.js';
import type { MetaVersion } from './table.js';

export type MediaType = 'json' | 'yaml' | 'protobuf';
export type TransformKind =
  | 'Table'
  | 'PartialObjectMetadata'
  | 'PartialObjectMetadataList'
  | 'APIGroupDiscoveryList';

/**
 * The media types of an endpoint. Results are cached by the identity of the offer: create offers once, not for each
 * request.
 */
export interface Offer {
  /** In order of preference; the first is used for an absent header and `*` wildcards. */
  readonly types: readonly MediaType[];
  /** The `types` that can encode the result of a transform, but not the endpoint's own objects. */
  readonly transformedOnly?: readonly MediaType[];
  /** With `APIGroupDiscoveryList`, clauses that request it are tried first. */
  readonly transforms: readonly TransformKind[];
  readonly watch: boolean;
}

export interface Negotiated {
  readonly mediaType: MediaType;
  /** Group `meta.k8s.io`, or `apidiscovery.k8s.io` for discovery. */
  readonly transform?:
    | { readonly kind: Exclude<TransformKind, 'APIGroupDiscoveryList'>; readonly version: MetaVersion }
    | { readonly kind: 'APIGroupDiscoveryList'; readonly version: 'v2' };
  /** Whether the clause says `pretty=1`. */
  readonly pretty?: boolean;
  /** The Content-Type of the response. */
  readonly contentType: string;
}

/** The media types by name. */
export const MEDIA_TYPE = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
} as const satisfies Record<MediaType, string>;

const META_GROUP = 'meta.k8s.io';
const DISCOVERY_GROUP = 'apidiscovery.k8s.io';
const DISCOVERY = 'APIGroupDiscoveryList';
/** The maximum number of cached headers of an offer. */
const MEMO_SIZE = 256;
/** Longer headers are not cached. */
const MEMO_HEADER = 512;

const memo = new WeakMap<Offer, Map<string, Negotiated>>();

/**
 * Chooses the encoding of the response by the Accept header (`k8s.io/apiserver/pkg/endpoints/handlers/negotiation`).
 * Throws 406 `only the following media types are accepted: …`.
 */
export function negotiate(accept: string | undefined, offer: Offer): Negotiated {
  const header = accept ?? '';
  let known = memo.get(offer);
  if (known === undefined) memo.set(offer, (known = new Map<string, Negotiated>()));
  const remembered = known.get(header);
  if (remembered !== undefined) return remembered;
  const chosen =
    (offer.transforms.includes(DISCOVERY) && chooseDiscovery(header, offer)) || choose(header, offer);
  if (!chosen) throw notAcceptable(offer);
  if (known.size >= MEMO_SIZE) known.clear();
  if (header.length <= MEMO_HEADER) known.set(header, chosen);
  return chosen;
}

/** Aggregated discovery, if a clause requests it; undefined selects the legacy document. */
export function chooseDiscovery(accept: string, offer: Offer): Negotiated | undefined {
  return accept === '' ? undefined : firstMatch(accept, offer, (transform) => transform?.kind === DISCOVERY);
}

function choose(accept: string, offer: Offer): Negotiated | undefined {
  if (accept !== '') return firstMatch(accept, offer, () => true);
  return offer.types[0] === undefined ? undefined : answer(offer.types[0], offer, new Map(), undefined);
}

type Transform = NonNullable<Negotiated['transform']>;

function firstMatch(
  accept: string,
  offer: Offer,
  wanted: (transform: Transform | undefined) => boolean,
): Negotiated | undefined {
  for (const clause of parseAccept(accept)) {
    for (const type of offer.types) {
      if (!matches(clause, MEDIA_TYPE[type])) continue;
      const transform = transformOf(clause.params, type, offer);
      if (transform === null || !wanted(transform) || !streamFits(clause.params, type)) continue;
      if (transform === undefined && offer.transformedOnly?.includes(type) === true) continue;
      // A watch uses the first match; an encoding that cannot stream ends the search.
      return offer.watch && !canStream(type) ? undefined : answer(type, offer, clause.params, transform);
    }
  }
  return undefined;
}

/** Whether the clause names this media type, itself or by `*`. */
export function matches(clause: AcceptClause, mediaType: string): boolean {
  const [type, subtype] = mediaType.split('/');
  if (clause.type === '*') return clause.subtype === '*';
  return clause.type === type && (clause.subtype === subtype || clause.subtype === '*');
}

const canStream = (type: MediaType): boolean => type !== 'yaml';

function streamFits(params: ReadonlyMap<string, string>, type: MediaType): boolean {
  const stream = params.get('stream') ?? '';
  return stream === '' || (stream === 'watch' && canStream(type));
}

/** The transform that `as`, `g` and `v` request; undefined for none, null for an unsupported one. */
function transformOf(
  params: ReadonlyMap<string, string>,
  type: MediaType,
  offer: Offer,
): Transform | undefined | null {
  const version = params.get('v') ?? '';
  if (!serverVersionFits(params, offer)) return null;
  if (!params.has('as') && !params.has('g') && !params.has('v')) return undefined;
  const kind = offer.transforms.find((allowed) => allowed === params.get('as'));
  if (kind === undefined) return null;
  if (kind === DISCOVERY)
    return params.get('g') === DISCOVERY_GROUP && version === 'v2' ? { kind, version } : null;
  if (params.get('g') !== META_GROUP || (version !== 'v1' && version !== 'v1beta1')) return null;
  return kind === 'Table' && type === 'protobuf' ? null : { kind, version };
}

/** Only endpoints of resources have a server version (`sv`), which must be `v1`. */
function serverVersionFits(params: ReadonlyMap<string, string>, offer: Offer): boolean {
  const wanted = params.get('sv') ?? '';
  return wanted === '' || (wanted === 'v1' && offer.transforms.includes('PartialObjectMetadata'));
}

function answer(
  mediaType: MediaType,
  offer: Offer,
  params: ReadonlyMap<string, string>,
  transform: Transform | undefined,
): Negotiated {
  const bare = MEDIA_TYPE[mediaType];
  let contentType: string = bare;
  if (transform?.kind === DISCOVERY)
    contentType = `${bare};g=${DISCOVERY_GROUP};v=${transform.version};as=${DISCOVERY}`;
  else if (offer.watch && mediaType === 'protobuf') contentType = `${bare};stream=watch`;
  return {
    mediaType,
    ...(transform !== undefined && { transform }),
    ...(params.get('pretty') === '1' && { pretty: true }),
    contentType,
  };
}

function listTypes(types: readonly MediaType[], watch: boolean): string {
  const listed = watch ? types.filter(canStream) : types;
  return listed.map((type) => MEDIA_TYPE[type] + (watch ? ';stream=watch' : '')).join(', ');
}

/** 406 of the handler stage. */
const notAcceptable = (offer: Offer): StatusError =>
  failure(
    'NotAcceptable',
    `only the following media types are accepted: ${listTypes(offer.types, offer.watch)}`,
  );

/**
 * The encoding of a request's body; an absent or empty Content-Type is the first of `types`. Throws 415 with the
 * accepted types. `watch` only changes that list.
 */
export function negotiateInput(
  contentType: string | undefined,
  types: readonly MediaType[],
  watch = false,
): MediaType {
  const named =
    contentType === undefined || contentType === '' ? MEDIA_TYPE[types[0] ?? 'json'] : contentType;
  const bare = parseContentType(named);
  const found = types.find((type) => MEDIA_TYPE[type] === bare);
  if (found !== undefined) return found;
  const message = `the body of the request was in an unknown format - accepted media types include: ${listTypes(types, watch)}`;
  throw failure('UnsupportedMediaType', message);
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const PRETTY_AGENTS = ['curl', 'Wget', 'Mozilla/5.0'];

/**
 * Whether to indent JSON. `query` is the raw query string (with or without `?`) or its parameters, `acceptPretty` the
 * clause's `pretty=1`. A non-empty `pretty` in the query overrides the user agent.
 */
export function wantsPretty(
  query: string | URLSearchParams | undefined,
  acceptPretty: boolean | undefined,
  userAgent: string | undefined,
): boolean {
  if (acceptPretty === true) return true;
  const parameters = typeof query === 'string' && query.includes('pretty') ? parseQuery(query) : query;
  const asked = typeof parameters === 'object' ? (parameters.get('pretty') ?? '') : '';
  if (asked !== '') return TRUE.has(asked);
  return userAgent !== undefined && PRETTY_AGENTS.some((agent) => userAgent.startsWith(agent));
}
