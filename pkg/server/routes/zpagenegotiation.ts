import { failure } from '../../apimachinery/errors.js';
import { parseAccept, type AcceptClause } from '../../apimachinery/mediatype.js';
import { matches, MEDIA_TYPE } from '../../apimachinery/negotiation.js';

export interface Page {
  /** The path without its slash. */
  readonly name: string;
  /** In the group `config.k8s.io`. */
  readonly kind: string;
}

/** A page as a document. */
export interface StructuredPage {
  readonly mediaType: 'json' | 'yaml';
  readonly version: string;
  /** Whether the clause says `pretty=1`. */
  readonly pretty: boolean;
  /** Of the response. */
  readonly contentType: string;
}

const STRUCTURED = ['json', 'yaml'] as const;
const TEXT = 'text/plain';
const VERSIONS = ['v1alpha1', 'v1beta1'];

/**
 * Undefined: text, for clauses that name no kind and for an absent header. Throws 406. The rules of
 * `NegotiateMediaTypeOptions` with `StatuszEndpointRestrictions` in `k8s.io/apiserver`.
 */
export function negotiatePage(accept: string | undefined, kind: string): StructuredPage | undefined {
  if (accept === undefined || accept.trim() === '') return undefined;
  for (const clause of parseAccept(accept)) {
    const { params } = clause;
    if ((params.get('stream') ?? '') !== '' || (params.get('sv') ?? '') !== '') continue;
    const mediaType = STRUCTURED.find((type) => matches(clause, MEDIA_TYPE[type]));
    if (mediaType !== undefined && namesKind(clause, kind)) return structured(mediaType, params, kind);
    if (matches(clause, TEXT) && !params.has('as') && !params.has('g') && !params.has('v')) return undefined;
  }
  const types = [...STRUCTURED.map((type) => MEDIA_TYPE[type]), TEXT].join(', ');
  throw failure('NotAcceptable', `only the following media types are accepted: ${types}`);
}

const namesKind = ({ params }: AcceptClause, kind: string): boolean =>
  params.get('g') === 'config.k8s.io' &&
  VERSIONS.includes(params.get('v') ?? '') &&
  params.get('as') === kind;

function structured(
  mediaType: StructuredPage['mediaType'],
  params: AcceptClause['params'],
  kind: string,
): StructuredPage {
  const version = params.get('v') ?? '';
  const contentType = `${MEDIA_TYPE[mediaType]};g=config.k8s.io;v=${version};as=${kind}`;
  return { mediaType, version, pretty: params.get('pretty') === '1', contentType };
}
