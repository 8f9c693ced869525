import { randomUUID } from 'node:crypto';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import { objectIn } from './owners.js';

/** Annotation of an object of the host: which of several commits that all make it so wrote it last. */
const WRITTEN = 'management.svc.example/written';

/** The same to whom it serves, and yet a change, so that it has a new revision. */
export function touched(value: Buffer): Buffer {
  const object = objectIn(value);
  const annotations = { ...object.metadata.annotations, [WRITTEN]: randomUUID() };
  return encodeObject({ ...object, metadata: { ...object.metadata, annotations } });
}
