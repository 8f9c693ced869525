import { randomUUID } from 'node:crypto';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import { objectIn } from './owners.js';

/** Annotation of an object of the host: identifies the last of several commits that write the same state. */
const WRITTEN = 'management.svc.example/written';

/** The same object with a change that gives it a new revision. */
export function touched(value: Buffer): Buffer {
  const object = objectIn(value);
  const annotations = { ...object.metadata.annotations, [WRITTEN]: randomUUID() };
  return encodeObject({ ...object, metadata: { ...object.metadata, annotations } });
}
