/** YAML bodies without holding the event loop: reading one costs about a tenth of a millisecond for each KiB. */
import type { JsonValue } from '../../../api/resource.js';
import { StatusError } from '../../apimachinery/errors.js';
import { DecodeError, type JsonDecoded } from '../../apimachinery/encoding/json.js';
import { inSlices } from '../../apimachinery/eventloop/slices.js';
import { parseContentType } from '../../apimachinery/mediatype.js';
import { MEDIA_TYPE } from '../../apimachinery/negotiation.js';
import { decodeJsonAsYaml, decodeYaml } from '../../apimachinery/encoding/yaml/yaml.js';
import type { Exchange } from '../httpexchange.js';
import { openParserPool, type Sender } from './parserpool.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Larger bodies go to a thread, which costs more than reading small ones here. */
const LARGE_BYTES = 2 * 1024;
/** Bodies up to this size, some tens of milliseconds where they are the worst, do not wait for larger ones. */
const SHORT_BYTES = 32 * 1024;

const short = openParserPool(1);
/** One share has one of them, so that another's body never waits for all of a flood. */
const long = openParserPool(2);
const SERVER: Sender = { share: '' };
/** The share of kubeconfigs of clusters, so that they only delay each other, and no administrator. */
export const KUBECONFIGS: Sender = { share: 'kubeconfigs' };

/**
 * Parses a body of any size as `decodeYaml` does. The result returns the value or throws its {@link DecodeError}, so
 * that a caller may parse early and handle errors in its own order. Rejects with `Overloaded` if the sender's queue is
 * full.
 */
export async function readYaml(body: Buffer, sender: Sender = SERVER): Promise<() => JsonDecoded> {
  if (body.length <= LARGE_BYTES) return () => decodeYaml(body);
  const json = await inSlices(decodeJsonAsYaml(body));
  if (json !== undefined) return () => json;
  const pool = body.length <= SHORT_BYTES ? short : long;
  const reading = await pool.read(body, sender);
  return () => {
    if ('refusedBy' in reading) throw new StatusError(reading.refusedBy);
    if ('refused' in reading) throw new DecodeError(reading.refused);
    return { value: parseStored<JsonValue>(reading.json), duplicates: reading.duplicates };
  };
}

export const isYaml = (contentType: string | undefined): boolean =>
  parseContentType(contentType ?? '') === MEDIA_TYPE.yaml;

/** The sender of a request's body. */
export const senderOf = ({ slot, end }: Pick<Exchange, 'slot' | 'end'>): Sender => ({
  share: slot?.flow?.share ?? '',
  end,
});
