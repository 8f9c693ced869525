/** The encodings of documents that are no resources: discovery, and what a server says of itself. */
import type { Request } from 'express';
import { encodeJson, encodePretty } from '../../apimachinery/encoding/json.js';
import { encodeDocument } from '../../apimachinery/encoding/protobuf/documents.js';
import { encodeYaml } from '../../apimachinery/encoding/yaml/yaml.js';
import type { MediaType } from '../../apimachinery/negotiation.js';

type Encoding = MediaType | 'pretty';

/** Also by `?pretty=`, and by clients that people use. `pretty`: of the Accept header. */
export function encodingOf(request: Request, mediaType: MediaType, pretty: boolean | undefined): Encoding {
  return mediaType === 'json' && wantsPretty(request, pretty) ? 'pretty' : mediaType;
}

export function encodeAs(document: object, how: Encoding): Buffer {
  if (how === 'protobuf') return encodeDocument(document);
  if (how === 'yaml') return Buffer.from(encodeYaml(document));
  return Buffer.from(how === 'pretty' ? encodePretty(document) : `${encodeJson(document)}\n`);
}

/** `?pretty=` decides; without it, clients of people get indented JSON. */
function wantsPretty(request: Request, accepted: boolean | undefined): boolean {
  const asked = request.query.pretty;
  if (typeof asked === 'string') return /^(1|t|true)$/i.test(asked);
  return accepted === true || /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
