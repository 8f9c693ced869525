/** The answer to a write: its object, as far as the caller may read it. */
import type { Stored } from '../../registry/resourcestore.js';
import type { StoredKindRequest } from '../requestcontext.js';
import { objectBody } from '../responsewriters/objectencoder.js';
import type { Representation } from '../responsewriters/representation.js';
import { commonHeaders, sendBytes } from '../responsewriters/send.js';
import { metadataAlone, withoutContent } from './answerform.js';

export interface AnswerForm {
  readonly representation: Representation;
  /** Whether the caller may read the object. */
  readonly readable: boolean;
}

export async function sendStored(
  call: StoredKindRequest,
  code: number,
  stored: Stored,
  { representation, readable }: AnswerForm,
): Promise<void> {
  const form = readable ? representation : metadataAlone(representation);
  const shown = readable ? stored : { ...stored, bytes: withoutContent(stored.bytes) };
  const body = await objectBody(call.store, shown, call.info, form);
  await sendBytes(call, code, body, commonHeaders(call, form.contentType));
}
