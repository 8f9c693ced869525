import type { KubeObject } from '../../../api/resource.js';
import type { Entry } from '../interface.js';
import type { ParsedHolder, ParsedObjects } from './parsedobjects.js';
import { viewOf, type Place } from './slabs.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** An {@link Entry} whose bytes lie in a slab. A class: there are as many as objects, and they must be small. */
export class StoredEntry implements Entry, ParsedHolder {
  parsed: KubeObject | undefined = undefined;

  constructor(
    readonly path: string,
    readonly revision: number,
    readonly place: Place,
    private readonly parsedObjects: ParsedObjects,
  ) {}

  get namespace(): string {
    const slash = this.path.indexOf('/');
    return slash < 0 ? '' : this.path.slice(0, slash);
  }

  get name(): string {
    return this.path.slice(this.path.indexOf('/') + 1);
  }

  get byteLength(): number {
    return this.place.length;
  }

  get bytes(): Buffer {
    return viewOf(this.place);
  }

  object(): KubeObject {
    if (this.parsed === undefined) {
      this.parsed = this.parse();
      // A released entry lives as long as its last reader, and needs no limit.
      if (!this.place.released) this.parsedObjects.added(this);
    }
    return this.parsed;
  }

  parse(): KubeObject {
    return parseStored<KubeObject>(this.bytes);
  }
}
