/** Lines of negotiation.jsonl. */
import { chooseDiscovery, MEDIA_TYPE, negotiate, negotiateInput, wantsPretty, type Negotiated, type Offer, type TransformKind } from '../../../pkg/apimachinery/negotiation.js';
import { refuses, same } from './same.js';

export interface NegotiationVector {
  readonly id: string;
  readonly kind: 'input' | 'output';
  readonly offer: 'json-yaml' | 'json-yaml-protobuf';
  readonly accept?: string;
  readonly endpoint: 'resource' | 'plain' | 'discovery';
  readonly watch: boolean;
  readonly query?: string;
  readonly userAgent?: string;
  readonly contentType?: string;
  readonly streaming?: boolean;
  readonly chosen: string | null;
  readonly error?: string;
  readonly convert?: { readonly group: string; readonly kind: string; readonly version: string };
  readonly pretty?: boolean;
}

const TRANSFORMS: Record<NegotiationVector['endpoint'], readonly TransformKind[]> = {
  resource: ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'],
  plain: [],
  discovery: ['APIGroupDiscoveryList'],
};

const typesOf = (vector: NegotiationVector): Offer['types'] =>
  vector.offer === 'json-yaml' ? ['json', 'yaml'] : ['json', 'yaml', 'protobuf'];

export function judgeNegotiation(vector: NegotiationVector): void {
  if (vector.kind === 'input') judgeInput(vector);
  else judgeOutput(vector);
}

function judgeInput(vector: NegotiationVector): void {
  const choose = () => negotiateInput(vector.contentType, typesOf(vector), vector.streaming);
  if (vector.chosen === null) refuses(choose, 415, vector.error ?? '');
  else same(MEDIA_TYPE[choose()], vector.chosen);
}

function judgeOutput(vector: NegotiationVector): void {
  const transforms = TRANSFORMS[vector.endpoint];
  const offer: Offer = { types: typesOf(vector), transforms, watch: vector.watch };
  // The vectors show the stage that looks for aggregated discovery only.
  if (vector.endpoint === 'discovery' && vector.accept) {
    const chosen = chooseDiscovery(vector.accept, offer);
    if (vector.chosen === null) return same(chosen, undefined);
    return sameChoice(vector, chosen as Negotiated);
  }
  if (vector.chosen === null) refuses(() => negotiate(vector.accept, offer), 406, vector.error ?? '');
  else sameChoice(vector, negotiate(vector.accept, offer));
}

function sameChoice(vector: NegotiationVector, chosen: Negotiated): void {
  same(MEDIA_TYPE[chosen.mediaType], vector.chosen);
  // The vectors tell no more of a watch than its encoding.
  if (vector.watch) return;
  const convert = vector.convert && { kind: vector.convert.kind, version: vector.convert.version };
  same(chosen.transform, convert);
  if (vector.pretty === undefined) return;
  const pretty = wantsPretty(vector.query, chosen.pretty, vector.userAgent) && chosen.mediaType === 'json';
  same(pretty, vector.pretty);
}
