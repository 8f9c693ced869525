/** How an answer is written down: media type, pretty printing, Table. */
import type { KubeObject } from '../../api/resource.js';
import { encodeJson, encodePretty } from '../apimachinery/encoding/json.js';
import { encodeYaml } from '../apimachinery/encoding/yaml.js';
import type { Status } from '../apimachinery/errors.js';
import type { Negotiated, Offer } from '../apimachinery/negotiation.js';
import { negotiate, wantsPretty } from '../apimachinery/negotiation.js';
import type { IncludeObject, MetaVersion } from '../apimachinery/table.js';
import { parseIncludeObject } from '../apimachinery/table.js';
import type { Query } from '../apimachinery/options/query.js';
import type { AuthenticatedCall } from './call.js';

/** How a Table is wanted. */
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
  /** Bytes in memory go out as they are. */
  readonly plain: boolean;
}

/** Throws StatusError 406, and 400 for a bad `includeObject`. */
export function representationOf(
  call: AuthenticatedCall,
  query: Query,
  shape: 'object' | 'list' | 'watch',
): Representation {
  const { headers } = call.exchange.request;
  const watch = shape === 'watch';
  const negotiated = negotiate(headers.accept, watch ? WATCH_OFFER : OFFER);
  const pretty = !watch && wantsPretty(call.info.query, negotiated.pretty, headers['user-agent']);
  const table =
    negotiated.transform === undefined
      ? undefined
      : {
          version: negotiated.transform.version as MetaVersion,
          includeObject: parseIncludeObject(query.get('includeObject')),
        };
  const { mediaType, contentType } = negotiated;
  return {
    mediaType,
    contentType,
    pretty,
    table,
    plain: mediaType === 'json' && !pretty && table === undefined,
  };
}

const OFFER: Offer = { types: ['json', 'yaml'], transforms: ['Table'], watch: false };
const WATCH_OFFER: Offer = { types: ['json'], transforms: ['Table'], watch: true };

/** A document that is no stored object: a Status, a Table, a list that is not sent as bytes. */
export function writeDocument(document: object, { mediaType, pretty }: Representation): Buffer {
  if (mediaType === 'yaml') return Buffer.from(encodeYaml(document));
  return Buffer.from(pretty ? encodePretty(document) : `${encodeJson(document)}\n`);
}

const NEWLINE = Buffer.from('\n');

/** One object's served bytes as the client wants them; Tables are made elsewhere. */
export function writeObject(bytes: Buffer, representation: Representation): Buffer {
  if (representation.plain) return Buffer.concat([bytes, NEWLINE], bytes.length + 1);
  return writeDocument(JSON.parse(bytes.toString('utf8')) as KubeObject, representation);
}

export const writeStatus = (status: Status, representation: Representation): Buffer =>
  writeDocument(status, representation);
