import type { KubeObject } from '../../../api/resource.js';
import type { DerivedForm, Entry } from '../interface.js';
import type { ParsedHolder, ParsedObjects } from './parsedobjects.js';
import { viewOf, type Place } from './slabs.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Classes: there are as many as objects, and they must be small. */
abstract class NamedEntry {
  constructor(
    readonly path: string,
    readonly revision: number,
  ) {}

  get namespace(): string {
    const slash = this.path.indexOf('/');
    return slash < 0 ? '' : this.path.slice(0, slash);
  }

  get name(): string {
    return this.path.slice(this.path.indexOf('/') + 1);
  }
}

/** An {@link Entry} whose bytes lie in a slab. */
export class StoredEntry extends NamedEntry implements Entry, ParsedHolder {
  parsed: KubeObject | undefined = undefined;

  constructor(
    path: string,
    revision: number,
    readonly place: Place,
    private readonly parsedObjects: ParsedObjects,
  ) {
    super(path, revision);
  }

  get byteLength(): number {
    return this.place.length;
  }

  /** The bytes that are in memory for the entry. */
  get heldBytes(): number {
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

/** An {@link Entry} that follows from an object of another resource. Its bytes are made for each use. */
export class DerivedEntry extends NamedEntry implements Entry {
  private length = -1;

  constructor(
    path: string,
    revision: number,
    readonly content: string,
    private readonly form: DerivedForm,
  ) {
    super(path, revision);
  }

  get derived(): true {
    return true;
  }

  get byteLength(): number {
    if (this.length < 0) this.length = this.bytes.length;
    return this.length;
  }

  get heldBytes(): number {
    return this.content.length;
  }

  get bytes(): Buffer {
    return this.form.encode(this.content, this, this.revision);
  }

  object(): KubeObject {
    return this.parse();
  }

  parse(): KubeObject {
    return parseStored<KubeObject>(this.bytes);
  }

  /** The same object at another revision. */
  at(revision: number): DerivedEntry {
    return new DerivedEntry(this.path, revision, this.content, this.form);
  }
}

export type CachedEntry = StoredEntry | DerivedEntry;
