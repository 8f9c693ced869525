/** The frames of a watch in protobuf. A frame is made once for each event and shared by all its watches. */
import { encodeDocument } from '../../apimachinery/encoding/protobuf/documents.js';
import { seal } from '../../apimachinery/encoding/protobuf/envelope.js';
import { watchEventFrame } from '../../apimachinery/encoding/protobuf/watchevent.js';
import type { ResourceStore } from '../../registry/generic/resourcestore.js';
import { encodedEntry, protobufForm } from '../responsewriters/protobufforms.js';
import type { Representation } from '../responsewriters/representation.js';
import { frameNames, deselectedEntry, type WatchEncoder } from './watchencoder.js';
import { wireForm } from './watchwriter.js';

export function protobufFrames(
  store: ResourceStore,
  representation: Pick<Representation, 'metadata' | 'protobuf'>,
  chunked: boolean,
): WatchEncoder {
  const form = protobufForm(store, representation);
  const { kind, apiVersion } = form.object;
  const names = frameNames(`protobuf:${kind}:${apiVersion}`, chunked ? 'chunk' : 'frame');
  const frame = (type: string, encoded: Buffer): Buffer =>
    wireForm(watchEventFrame(type, seal(form.object, encoded)), chunked);
  return {
    ofEvent(event, type) {
      const leaves = type === 'DELETED' && !event.deleted;
      return event.frame(names[leaves ? 'LEFT' : type], () =>
        frame(
          type,
          leaves ? form.encode(deselectedEntry(store, event).object()) : encodedEntry(form, event.entry),
        ),
      );
    },
    ofInitial: (entry) => frame('ADDED', encodedEntry(form, entry)),
    bookmark(revision, annotations) {
      const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) };
      return frame('BOOKMARK', form.encode({ metadata }));
    },
    error: (object) => wireForm(watchEventFrame('ERROR', encodeDocument(object)), chunked),
  };
}
