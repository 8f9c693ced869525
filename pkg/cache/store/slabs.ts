/**
 * Memory for record bytes: a few large slabs instead of one allocation each.
 *
 * A byte of a slab is written only once, so views stay valid as long as a reader needs them. To free memory, a slab
 * with less than half in use has its records copied into the newest slab. The garbage collector frees it once it has
 * no views.
 */

const SLAB_BYTES = 1 << 20;
/** Larger records have a slab of their own, so that no slab ends with much unused memory. */
const ALONE_BYTES = SLAB_BYTES >> 3;

/** The place of one record's bytes. It moves: call {@link viewOf} for each use. */
export interface Place {
  slab: Slab;
  offset: number;
  readonly length: number;
  released: boolean;
}

export interface Slab {
  readonly memory: Buffer;
  used: number;
  live: number;
  places: Place[];
}

export function viewOf(place: Place): Buffer {
  const { memory } = place.slab;
  return place.offset === 0 && place.length === memory.length
    ? memory
    : memory.subarray(place.offset, place.offset + place.length);
}

export class Slabs {
  private current = newSlab(SLAB_BYTES);
  private allocatedBytes = SLAB_BYTES;
  private liveBytes = 0;

  /** Copies `bytes` in. */
  store(bytes: Buffer): Place {
    this.liveBytes += bytes.length;
    if (bytes.length < ALONE_BYTES) {
      const place: Place = { slab: this.current, offset: 0, length: bytes.length, released: false };
      this.append(place, bytes);
      return place;
    }
    this.allocatedBytes += bytes.length;
    const slab = newSlab(bytes.length);
    bytes.copy(slab.memory);
    slab.live = slab.used = bytes.length;
    return { slab, offset: 0, length: bytes.length, released: false };
  }

  /** Frees the place, at most once. Its views, and the place itself, stay readable. */
  release(place: Place): void {
    place.released = true;
    this.liveBytes -= place.length;
    const { slab } = place;
    slab.live -= place.length;
    if (slab.places.length > 0) this.compactIfSparse(slab);
    else this.allocatedBytes -= place.length;
  }

  /** Bytes allocated for records in use and for records to come. */
  allocated(): number {
    return this.allocatedBytes;
  }

  /** Bytes in use. */
  live(): number {
    return this.liveBytes;
  }

  private append(place: Place, bytes: Buffer): void {
    if (this.current.used + place.length > SLAB_BYTES) {
      const full = this.current;
      this.current = newSlab(SLAB_BYTES);
      this.allocatedBytes += SLAB_BYTES;
      this.compactIfSparse(full);
    }
    const slab = this.current;
    bytes.copy(slab.memory, slab.used);
    place.slab = slab;
    place.offset = slab.used;
    slab.used += place.length;
    slab.live += place.length;
    slab.places.push(place);
  }

  /** The current slab is never sparse enough to move, as it is still being filled. */
  private compactIfSparse(slab: Slab): void {
    if (slab === this.current || slab.live * 2 >= slab.memory.length) return;
    const { places } = slab;
    slab.places = [];
    this.allocatedBytes -= slab.memory.length;
    for (const place of places) if (!place.released) this.append(place, viewOf(place));
  }
}

function newSlab(bytes: number): Slab {
  return { memory: Buffer.allocUnsafeSlow(bytes), used: 0, live: 0, places: [] };
}
